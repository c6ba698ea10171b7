//! Several futures in one task.
//!
//! A parent holds its children as fields and polls them in its own `poll`. That
//! is all there is to it: no task, no thread, no allocation, and no way for a
//! child to outlive its parent. What it costs is that the parent cannot tell
//! whom a wake was for: the waker is the task's, so it asks every child that is
//! not done.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

pin_project! {
    /// A future, and then its output until that is fetched.
    #[project = ChildProjection]
    #[project_replace = ChildTaken]
    enum Child<F: Future> {
        Running { #[pin] future: F },
        Done { output: F::Output },
        Gone,
    }
}

impl<F: Future> Child<F> {
    /// Polls it unless it is done, and says whether it is. The future is
    /// dropped as soon as it is done.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> bool {
        if let ChildProjection::Running { future } = self.as_mut().project() {
            let Poll::Ready(output) = future.poll(cx) else {
                return false;
            };
            self.set(Child::Done { output });
        }
        true
    }

    /// Gives the output away, or drops the future.
    fn take(self: Pin<&mut Self>) -> Option<F::Output> {
        match self.project_replace(Child::Gone) {
            ChildTaken::Done { output } => Some(output),
            _ => None,
        }
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> Child<F> {
    fn take_error(mut self: Pin<&mut Self>) -> Option<E> {
        match self.as_mut().project() {
            ChildProjection::Done { output: Err(_) } => self.take()?.err(),
            _ => None,
        }
    }
}

pin_project! {
    /// Both outputs, when both futures are done.
    pub struct Join<A: Future, B: Future> {
        #[pin]
        a: Child<A>,
        #[pin]
        b: Child<B>,
    }
}

impl<A: Future, B: Future> Join<A, B> {
    /// Joins two futures. Neither is polled yet.
    pub fn new(a: A, b: B) -> Self {
        Join {
            a: Child::Running { future: a },
            b: Child::Running { future: b },
        }
    }
}

impl<A: Future, B: Future> Future for Join<A, B> {
    type Output = (A::Output, B::Output);

    /// # Panics
    ///
    /// If polled again after it was done.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let a_done = this.a.as_mut().poll(cx);
        // Not `&&`: the second must be polled also while the first waits, or it
        // would not even begin.
        let b_done = this.b.as_mut().poll(cx);
        if !(a_done && b_done) {
            return Poll::Pending;
        }
        match (this.a.take(), this.b.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            _ => panic!("polled after it was done"),
        }
    }
}

pin_project! {
    /// Both values, or the first error; then the other future is dropped at once.
    pub struct TryJoin<A: Future, B: Future> {
        #[pin]
        a: Child<A>,
        #[pin]
        b: Child<B>,
    }
}

impl<A: Future, B: Future> TryJoin<A, B> {
    /// Joins two futures. Neither is polled yet.
    pub fn new(a: A, b: B) -> Self {
        TryJoin {
            a: Child::Running { future: a },
            b: Child::Running { future: b },
        }
    }
}

impl<A, B, T, U, E> Future for TryJoin<A, B>
where
    A: Future<Output = Result<T, E>>,
    B: Future<Output = Result<U, E>>,
{
    type Output = Result<(T, U), E>;

    /// # Panics
    ///
    /// If polled again after it was done.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let a_done = this.a.as_mut().poll(cx);
        if let Some(error) = this.a.as_mut().take_error() {
            this.b.take();
            return Poll::Ready(Err(error));
        }
        let b_done = this.b.as_mut().poll(cx);
        if let Some(error) = this.b.as_mut().take_error() {
            this.a.take();
            return Poll::Ready(Err(error));
        }
        if !(a_done && b_done) {
            return Poll::Pending;
        }
        match (this.a.take(), this.b.take()) {
            (Some(Ok(a)), Some(Ok(b))) => Poll::Ready(Ok((a, b))),
            _ => panic!("polled after it was done"),
        }
    }
}

/// All outputs, in order, when all futures are done.
///
/// One wake polls all that are not done, so `n` futures cost up to `n²` polls.
/// That is well for a handful. For thousands, give each a task of its own, as
/// [`group`](crate::group) does, or a waker of its own, as `FuturesUnordered`
/// of the `futures` crate does.
///
/// Futures that are not `Unpin` go in as `Box::pin(future)`: they live in a
/// vector here, and to keep them pinned in there takes `unsafe`.
pub struct JoinAll<F: Future>(Vec<Child<F>>);

impl<F: Future> JoinAll<F> {
    /// Joins the futures. None is polled yet.
    pub fn new(futures: impl IntoIterator<Item = F>) -> Self {
        let children = futures.into_iter();
        JoinAll(children.map(|future| Child::Running { future }).collect())
    }
}

impl<F: Future + Unpin> Future for JoinAll<F>
where
    F::Output: Unpin,
{
    type Output = Vec<F::Output>;

    /// # Panics
    ///
    /// If polled again after it was done.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut all_done = true;
        for child in &mut self.0 {
            all_done &= Pin::new(child).poll(cx);
        }
        if !all_done {
            return Poll::Pending;
        }
        let outputs = self.0.iter_mut().map(|child| {
            let output = Pin::new(child).take();
            output.expect("polled after it was done")
        });
        Poll::Ready(outputs.collect())
    }
}
