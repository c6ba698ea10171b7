//! Yours: names to addresses.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use fetch_core::Resolve;
use mio::Token;

/// Ends the sleep of the loop, from any thread. The loop then takes all answers
/// that it finds, and sleeps again.
pub trait Bell: Send + Sync {
    /// Rings. To ring twice before the loop is awake is to ring once.
    fn ring(&self);
}

/// Looks up names for a loop.
pub struct Names {
    resolver: Arc<dyn Resolve>,
    bell: Arc<dyn Bell>,
    tell: Sender<Answer>,
    answers: Receiver<Answer>,
}

/// The addresses of a name, and which fetch has asked.
#[derive(Debug)]
pub struct Answer {
    /// The token that came with the question.
    pub token: Token,
    /// What the resolver said.
    pub addresses: io::Result<Vec<SocketAddr>>,
}

impl Names {
    /// No question yet.
    pub fn new(resolver: Arc<dyn Resolve>, bell: Arc<dyn Bell>) -> Self {
        let (tell, answers) = channel();
        Names {
            resolver,
            bell,
            tell,
            answers,
        }
    }

    /// Asks for the addresses of `host`, each with `port`. When the answer is
    /// there, the bell is rung.
    ///
    /// # Errors
    ///
    /// The system has no thread left.
    pub fn ask(&mut self, token: Token, host: String, port: u16) -> io::Result<()> {
        let resolver = Arc::clone(&self.resolver);
        let bell = Arc::clone(&self.bell);
        let tell = self.tell.clone();
        let look_up = move || {
            let addresses = resolver.resolve(&host, port);
            // The answer first, and then the bell: who is woken must find it.
            // Nobody receives it any more if the loop has ended.
            if tell.send(Answer { token, addresses }).is_ok() {
                bell.ring();
            }
        };
        // When does it end? When the resolver returns. Who cancels it? Nobody
        // can. Who receives its result? `answers`. What bounds their number?
        // The requests that the loop was given.
        thread::Builder::new()
            .name("resolver".to_owned())
            .spawn(look_up)
            .map(drop)
    }

    /// An answer that has come and was not taken yet. Does not block.
    pub fn next_answer(&mut self) -> Option<Answer> {
        self.answers.try_recv().ok()
    }
}
