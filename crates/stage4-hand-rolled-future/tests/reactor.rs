//! Whom the reactor wakes, and whom it forgets.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use fetch_core::wait::On;
use stage4_hand_rolled_future::executor::Park;
use stage4_hand_rolled_future::reactor::{Reactor, Source};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::tcp::TcpStream;
use stage4_hand_rolled_future::timeout::Timeout;
use stage4_hand_rolled_future::timers::Sleep;
use stage4_hand_rolled_future::waits::Direction;

/// Counts how often it is called.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Bell {
    fn new() -> (Arc<Self>, Waker) {
        let bell = Arc::new(Bell::default());
        (Arc::clone(&bell), Waker::from(bell))
    }

    fn rings(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Both ends of a connection.
fn pair(runtime: &Runtime) -> (TcpStream, std::net::TcpStream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connecting = TcpStream::connect(runtime.reactor(), 0, listener.local_addr().unwrap());
    let stream = runtime.block_on(connecting).unwrap().unwrap();
    (stream, listener.accept().unwrap().0)
}

/// Lets the reactor look until `done`, two seconds at most.
fn park_until(reactor: &Rc<Reactor>, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() && start.elapsed() < Duration::from_secs(2) {
        reactor.park(false).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(done(), "it did not happen");
}

fn read_one(stream: &TcpStream, waker: &Waker) -> Poll<usize> {
    let read = stream.poll_read(&Context::from_waker(waker), &mut [0]);
    read.map(Result::unwrap)
}

#[test]
fn the_latest_waker_counts_for_a_socket() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    let ((first, first_waker), (second, second_waker)) = (Bell::new(), Bell::new());
    assert!(read_one(&stream, &first_waker).is_pending());
    assert!(read_one(&stream, &second_waker).is_pending());
    peer.write_all(b"x").unwrap();
    park_until(runtime.reactor(), || second.rings() == 1);
    assert_eq!(first.rings(), 0);
    assert_eq!(read_one(&stream, &second_waker), Poll::Ready(1));
}

#[test]
fn the_latest_waker_counts_for_a_timer() {
    let runtime = Runtime::new().unwrap();
    let moment = Instant::now() + Duration::from_millis(10);
    let mut sleep = Sleep::until(runtime.reactor(), 0, moment);
    let ((first, first_waker), (second, second_waker)) = (Bell::new(), Bell::new());
    for waker in [&first_waker, &second_waker] {
        let mut cx = Context::from_waker(waker);
        assert!(Pin::new(&mut sleep).poll(&mut cx).is_pending());
    }
    assert_eq!(runtime.reactor().registered(), (0, 1));
    park_until(runtime.reactor(), || second.rings() == 1);
    assert_eq!(first.rings(), 0);
    assert_eq!(runtime.reactor().registered(), (0, 0));
    let mut cx = Context::from_waker(&second_waker);
    assert!(Pin::new(&mut sleep).poll(&mut cx).is_ready());
}

#[test]
fn an_event_for_one_direction_leaves_the_other_armed() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    let ((reads, reader), (writes, writer)) = (Bell::new(), Bell::new());
    let chunk = vec![0; 256 * 1024];
    let mut sent = 0;
    // Until there is no room for more; now and then it lets others run.
    loop {
        let before = writes.rings();
        match stream.poll_write(&Context::from_waker(&writer), &chunk) {
            Poll::Ready(written) => sent += written.unwrap(),
            Poll::Pending if writes.rings() > before => {}
            Poll::Pending => break,
        }
    }
    let before = writes.rings();
    assert!(read_one(&stream, &reader).is_pending());

    peer.write_all(b"x").unwrap();
    park_until(runtime.reactor(), || reads.rings() == 1);
    assert_eq!(writes.rings(), before, "there is still no room");
    let mut received = vec![0; sent];
    peer.read_exact(&mut received).unwrap();
    park_until(runtime.reactor(), || writes.rings() == before + 1);
}

#[test]
fn a_dropped_wait_leaves_no_waker() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    let (bell, waker) = Bell::new();
    let mut buffer = [0];
    {
        let mut read = stream.read(&mut buffer);
        let mut cx = Context::from_waker(&waker);
        assert!(Pin::new(&mut read).poll(&mut cx).is_pending());
        assert_eq!(Arc::strong_count(&bell), 3);
    }
    assert_eq!(Arc::strong_count(&bell), 2, "the reactor has let go of it");
    peer.write_all(b"x").unwrap();
    runtime.reactor().park(true).unwrap();
    assert_eq!(bell.rings(), 0);
    assert_eq!(
        runtime.block_on(stream.read(&mut buffer)).unwrap().unwrap(),
        1
    );
}

#[test]
fn dropping_deregisters() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    let (bell, waker) = Bell::new();
    assert!(read_one(&stream, &waker).is_pending());
    assert_eq!(runtime.reactor().registered(), (1, 0));
    drop(stream);
    assert_eq!(runtime.reactor().registered(), (0, 0));
    assert_eq!(Arc::strong_count(&bell), 2);
    assert_eq!(peer.read(&mut [0]).unwrap(), 0, "the peer sees it go");
}

thread_local! {
    static DROPPED_BY_WAKING: RefCell<Vec<TcpStream>> = const { RefCell::new(Vec::new()) };
}

/// A waker of somebody else, which drops streams when it is called.
struct DropsAll;

impl Wake for DropsAll {
    fn wake(self: Arc<Self>) {
        drop(DROPPED_BY_WAKING.take());
    }
}

#[test]
fn wakers_are_called_when_nothing_is_borrowed() {
    let runtime = Runtime::new().unwrap();
    let ((first, mut peer), (second, mut other)) = (pair(&runtime), pair(&runtime));
    let waker = Waker::from(Arc::new(DropsAll));
    assert!(read_one(&first, &waker).is_pending());
    assert!(read_one(&second, &waker).is_pending());
    DROPPED_BY_WAKING.with_borrow_mut(|streams| streams.extend([first, second]));
    peer.write_all(b"x").unwrap();
    other.write_all(b"x").unwrap();
    park_until(runtime.reactor(), || {
        runtime.reactor().registered() == (0, 0)
    });
}

/// A waker of somebody else, which drops streams when it is the last of its task.
struct DropsAllAtItsEnd;

impl Wake for DropsAllAtItsEnd {
    fn wake(self: Arc<Self>) {}
}

impl Drop for DropsAllAtItsEnd {
    fn drop(&mut self) {
        drop(DROPPED_BY_WAKING.take());
    }
}

/// Polls with a waker that only the reactor keeps, and again with another.
fn replace_the_last_waker(mut poll: impl FnMut(&mut Context<'_>) -> bool, held: TcpStream) {
    let last = Waker::from(Arc::new(DropsAllAtItsEnd));
    assert!(!poll(&mut Context::from_waker(&last)));
    drop(last);
    DROPPED_BY_WAKING.with_borrow_mut(|streams| streams.push(held));
    assert!(!poll(&mut Context::from_waker(Waker::noop())));
    DROPPED_BY_WAKING.with_borrow(|streams| assert!(streams.is_empty()));
}

#[test]
fn wakers_are_replaced_when_nothing_is_borrowed() {
    let runtime = Runtime::new().unwrap();
    let ((stream, _peer), (held, _other)) = (pair(&runtime), pair(&runtime));
    replace_the_last_waker(|cx| read_one(&stream, cx.waker()).is_ready(), held);
    assert_eq!(runtime.reactor().registered(), (1, 0));

    let (held, _other) = pair(&runtime);
    let moment = Instant::now() + Duration::from_secs(60);
    let mut sleep = Sleep::until(runtime.reactor(), 0, moment);
    replace_the_last_waker(|cx| Pin::new(&mut sleep).poll(cx).is_ready(), held);
    assert_eq!(runtime.reactor().registered(), (1, 1));
}

/// On Linux a socket of which there is a duplicate is still watched after it was
/// closed (epoll(7), Q6), under a key that is by then another's.
#[test]
fn a_socket_is_deregistered_and_not_only_closed() {
    let runtime = Runtime::new().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connect = || {
        let socket = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        socket.set_nonblocking(true).unwrap();
        (socket, listener.accept().unwrap().0)
    };
    let ((bell, waker), (socket, mut peer)) = (Bell::new(), connect());
    let _duplicate = socket.try_clone().unwrap();
    let wait = |socket| {
        let noop = Context::from_waker(Waker::noop());
        let source = Source::connecting(runtime.reactor(), 0, socket, &noop).unwrap();
        let cx = Context::from_waker(&waker);
        let waiting = source.wait_for(Direction::Read, On::Readable, &cx);
        waiting.map(|()| source).unwrap()
    };
    drop(wait(socket));
    let (next, _next_peer) = connect();
    let _next = wait(next);
    peer.write_all(b"x").unwrap();
    std::thread::sleep(Duration::from_millis(20));
    runtime.reactor().park(false).unwrap();
    assert_eq!(bell.rings(), 0, "woken for a socket that is gone");
}

#[test]
fn a_wake_from_another_thread_ends_the_sleep() {
    let runtime = Runtime::new().unwrap();
    let start = Instant::now();
    let mut asked = false;
    let future = poll_fn(|cx| {
        if std::mem::replace(&mut asked, true) {
            return Poll::Ready(());
        }
        let waker = cx.waker().clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            waker.wake();
        });
        Poll::Pending
    });
    let moment = start + Duration::from_secs(10);
    let bounded = Timeout::at(runtime.reactor(), 0, moment, future);
    assert_eq!(runtime.block_on(bounded).unwrap(), Some(()));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_wake_from_its_own_thread_does_not_shorten_the_next_sleep() {
    let runtime = Runtime::new().unwrap();
    let reactor = runtime.reactor();
    let moment = Instant::now() + Duration::from_millis(30);
    let mut sleep = Sleep::until(reactor, 0, moment);
    let (bell, waker) = Bell::new();
    let mut cx = Context::from_waker(&waker);
    assert!(Pin::new(&mut sleep).poll(&mut cx).is_pending());
    reactor.unpark()();
    reactor.park(true).unwrap();
    assert_eq!(bell.rings(), 1, "it has slept until the timer");
}

#[test]
fn an_answer_that_is_there_before_it_is_waited_for_is_told_of() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    peer.write_all(b"x").unwrap();
    let (bell, waker) = Bell::new();
    stream.expect_answer();
    assert!(read_one(&stream, &waker).is_pending(), "it has not looked");
    assert!(read_one(&stream, &waker).is_pending(), "it still waits");
    park_until(runtime.reactor(), || bell.rings() == 1);
    assert_eq!(read_one(&stream, &waker), Poll::Ready(1));
}

#[test]
fn a_socket_that_is_always_ready_lets_others_run() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    peer.write_all(&[0; 1000]).unwrap();
    let (bell, waker) = Bell::new();
    runtime.block_on(stream.read(&mut [0])).unwrap().unwrap();
    // A thousand bytes are there, and yet it is not ready a thousand times.
    let reads = (0..900).take_while(|_| read_one(&stream, &waker).is_ready());
    assert!(reads.count() < 100);
    assert_eq!(bell.rings(), 1, "it has seen to it that it is polled again");
    assert_eq!(read_one(&stream, &waker), Poll::Ready(1));
}

#[test]
fn a_peer_that_always_has_bytes_lets_the_deadline_be_seen() {
    let runtime = Runtime::new().unwrap();
    let (stream, mut peer) = pair(&runtime);
    let writer = std::thread::spawn(move || while peer.write_all(&[0; 64 * 1024]).is_ok() {});
    let endless = async {
        let mut chunk = [0; 1024];
        while stream.read(&mut chunk).await.unwrap() > 0 {}
    };
    let moment = Instant::now() + Duration::from_millis(50);
    let bounded = Timeout::at(runtime.reactor(), 0, moment, endless);
    assert_eq!(runtime.block_on(bounded).unwrap(), None);
    drop(stream);
    writer.join().unwrap();
}

#[test]
fn a_refused_connection_says_so() {
    let runtime = Runtime::new().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    drop(listener);
    let connecting = TcpStream::connect(runtime.reactor(), 0, address);
    let error = runtime.block_on(connecting).unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    assert_eq!(runtime.reactor().registered(), (0, 0));
}
