//! Rust fixes how a future is polled, and not who polls it. What belongs to a
//! runtime is the socket: it has to be known to a reactor.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use origin::{Config, Origin};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::tcp::TcpStream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// All that a fetch asks of a socket.
trait Socket {
    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
    async fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
}

impl Socket for TcpStream {
    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        TcpStream::read(self, buffer).await
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        TcpStream::write(self, bytes).await
    }
}

impl Socket for tokio::net::TcpStream {
    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        AsyncReadExt::read(self, buffer).await
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        AsyncWriteExt::write(self, bytes).await
    }
}

/// Knows no runtime.
async fn get(socket: &mut impl Socket, address: SocketAddr) -> io::Result<String> {
    let request =
        format!("GET /users/42/profile HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut unsent = request.as_bytes();
    while !unsent.is_empty() {
        let sent = socket.write(unsent).await?;
        unsent = &unsent[sent..];
    }
    let mut response = Vec::new();
    let mut chunk = [0; 512];
    loop {
        match socket.read(&mut chunk).await? {
            0 => return String::from_utf8(response).map_err(io::Error::other),
            length => response.extend_from_slice(&chunk[..length]),
        }
    }
}

#[test]
fn one_async_fn_runs_on_both() {
    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.address();

    let ours = Runtime::new().unwrap();
    let on_ours = ours.block_on(async {
        let mut socket = TcpStream::connect(ours.reactor(), 0, address).await?;
        get(&mut socket, address).await
    });

    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let on_tokio = tokio.block_on(async {
        let mut socket = tokio::net::TcpStream::connect(address).await?;
        get(&mut socket, address).await
    });

    let on_ours = on_ours.unwrap().unwrap();
    assert!(on_ours.ends_with("User 42\"}"));
    assert_eq!(on_ours, on_tokio.unwrap());
}

#[test]
fn our_socket_runs_on_tokios_executor_with_our_reactor_beside_it() {
    use stage4_hand_rolled_future::executor::Park;
    use stage4_hand_rolled_future::reactor::Reactor;

    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.address();
    let reactor = Reactor::new().unwrap();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    // tokio calls no reactor but its own, so a task of tokio's has to call ours.
    let turning = std::rc::Rc::clone(&reactor);
    let tasks = tokio::task::LocalSet::new();
    tasks.spawn_local(async move {
        loop {
            turning.park(false).unwrap();
            tokio::task::yield_now().await;
        }
    });
    let response = tasks.block_on(&tokio, async {
        let mut socket = TcpStream::connect(&reactor, 0, address).await?;
        get(&mut socket, address).await
    });
    assert!(response.unwrap().ends_with("User 42\"}"));
}

#[test]
fn tokios_socket_needs_tokios_reactor() {
    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.address();
    let runtime = Runtime::new().unwrap();
    let connecting = tokio::net::TcpStream::connect(address);
    let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on(connecting)));
    let panic = outcome.expect_err("tokio's socket cannot work here");
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap();
    assert!(text.contains("there is no reactor running"), "{text}");
}

#[test]
fn a_runtime_inside_another_runs_and_inside_itself_refuses() {
    let (outer, inner) = (Runtime::new().unwrap(), Runtime::new().unwrap());
    let nested = outer.block_on(async { inner.block_on(async { 1 }) });
    assert_eq!(nested.unwrap().unwrap(), 1);

    // Else the inner one would take the wake of the outer one's future, and lose it.
    let nested = outer.block_on(async { outer.block_on(async { 1 }) });
    let refused = nested.unwrap().unwrap_err().to_string();
    assert!(refused.contains("block_on inside"), "{refused}");

    // However one has ended, the next may run.
    let panicking = || outer.block_on(async { panic!("as it should") });
    catch_unwind(AssertUnwindSafe(panicking)).expect_err("it panics");
    assert_eq!(outer.block_on(async { 1 }).unwrap(), 1);
}
