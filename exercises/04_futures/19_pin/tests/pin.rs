//! Where it was polled first, there it stays.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::mem::size_of_val;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use ex19_pin::{Reason, Shelf, StartLine, reason};

const OK: &StartLine = b"HTTP/1.1 200 OK                 ";
const MISSING: &StartLine = b"HTTP/1.1 404 Not Found          ";

#[test]
fn where_it_stays_it_is_read() {
    let turn = Cell::new(false);
    let mut by_hand = pin!(Reason::new(*OK, until(&turn)));
    let mut by_compiler = pin!(reason(*MISSING, until(&turn)));
    assert!(poll(by_hand.as_mut()).is_pending());
    assert!(poll(by_compiler.as_mut()).is_pending());
    turn.set(true);
    assert_eq!(poll(by_hand), Poll::Ready("OK".to_owned()));
    assert_eq!(poll(by_compiler), Poll::Ready("Not Found".to_owned()));
}

#[test]
fn before_the_first_poll_it_may_be_moved() {
    let turn = Cell::new(false);
    let made_here = Reason::new(*OK, until(&turn));
    let moved = vec![made_here];
    let moved_again = moved.into_iter().next().expect("there is one");
    let mut in_its_place = Box::pin(moved_again);
    assert!(poll(in_its_place.as_mut()).is_pending());
    // This moves the box, which is a pointer, and not what it points to.
    let mut box_elsewhere = in_its_place;
    turn.set(true);
    assert_eq!(poll(box_elsewhere.as_mut()), Poll::Ready("OK".to_owned()));
}

#[test]
fn a_shelf_closes_its_gaps() {
    let turns = [const { Cell::new(false) }; 3];
    let mut shelf = Shelf::new();
    for (turn, line) in turns.iter().zip([OK, MISSING, OK]) {
        shelf.push(Reason::new(*line, until(turn)));
    }
    let mut cx = Context::from_waker(Waker::noop());
    assert!(shelf.poll_all(&mut cx).is_empty(), "it is nobody's turn");
    // The first leaves, and the other two move up.
    turns[0].set(true);
    assert_eq!(shelf.poll_all(&mut cx), ["OK"]);
    turns[2].set(true);
    assert_eq!(shelf.poll_all(&mut cx), ["OK"]);
    turns[1].set(true);
    assert_eq!(shelf.poll_all(&mut cx), ["Not Found"]);
    assert!(shelf.poll_all(&mut cx).is_empty(), "the shelf is empty");
}

#[test]
fn what_has_been_polled_cannot_be_moved() {
    // All parts but the reference to itself may be moved at any time.
    let by_hand = Reason::new(*OK, std::future::ready(()));
    let by_compiler = reason(*OK, std::future::ready(()));
    for (whose, is_unpin, bytes) in [
        (
            "the compiler's",
            ask(&by_compiler).is_unpin(),
            size_of_val(&by_compiler),
        ),
        (
            "the one by hand",
            ask(&by_hand).is_unpin(),
            size_of_val(&by_hand),
        ),
    ] {
        eprintln!("{whose}: {bytes} bytes, Unpin: {is_unpin}");
        assert!(
            !is_unpin,
            "{whose} is `Unpin`: the compiler would let it be moved after its first poll, when it \
             borrows from itself"
        );
    }
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Done when it is one's turn.
fn until(turn: &Cell<bool>) -> impl Future<Output = ()> + Unpin {
    poll_fn(|_| match turn.get() {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
}

/// Asks a value whether its type is `Unpin`: whether safe code may move it
/// although it has been pinned.
///
/// Of two functions of one name the inherent one is taken if its bound holds,
/// and the trait's otherwise.
struct Asked<'a, T>(PhantomData<&'a T>);

fn ask<T>(_value: &T) -> Asked<'_, T> {
    Asked(PhantomData)
}

#[allow(dead_code, reason = "when all is well, nobody gets this answer")]
impl<T: Unpin> Asked<'_, T> {
    fn is_unpin(&self) -> bool {
        true
    }
}

impl<T> Otherwise for Asked<'_, T> {}

trait Otherwise {
    fn is_unpin(&self) -> bool {
        false
    }
}
