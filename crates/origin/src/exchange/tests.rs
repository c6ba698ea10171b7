//! One turn of one exchange, without a reactor.

use std::net::{TcpListener, TcpStream as StdStream};

use super::*;
use crate::script::Script;

/// Drives an exchange once whose client reads nothing. The system takes
/// megabytes before a write would block, so it is the budget that ends
/// the turn.
fn bytes_of_one_turn(script: Script) -> (Turn, u64) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
    let address = listener.local_addr().expect("address");
    let _client = StdStream::connect(address).expect("connect");
    let (stream, peer) = listener.accept().expect("accept");
    stream.set_nonblocking(true).expect("nonblocking");
    let state = State::default();
    let id = state.journal().open(peer);
    let program = Program::from_trusted(script);
    let mut exchange = Exchange::new(TcpStream::from_std(stream), id, Some(program));
    let mut cx = Context {
        state: &state,
        scratch: &mut [0; 1024],
        budget: 0,
    };
    let turn = exchange.drive(&mut cx);
    let sent = state.journal().entries()[0].response_sent;
    (turn, sent)
}

#[test]
fn a_turn_ends_when_the_budget_is_spent() {
    let (turn, sent) = bytes_of_one_turn(Script::new().fill(1 << 30));
    assert!(matches!(turn, Turn::Again));
    assert_eq!(sent, TURN_BUDGET as u64);
}

#[test]
fn steps_cost_budget_too() {
    let many = (0..10_000).fold(Script::new(), |script, _| script.send("x"));
    let (turn, sent) = bytes_of_one_turn(many);
    assert!(matches!(turn, Turn::Again));
    assert!(sent < 2000, "{sent}");
}
