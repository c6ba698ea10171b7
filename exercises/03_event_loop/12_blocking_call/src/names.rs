//! Yours: names to addresses.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

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
    answers: VecDeque<Answer>,
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
        Names {
            resolver,
            bell,
            answers: VecDeque::new(),
        }
    }

    /// Asks for the addresses of `host`, each with `port`. When the answer is
    /// there, the bell is rung.
    ///
    /// # Errors
    ///
    /// The system has no thread left.
    pub fn ask(&mut self, token: Token, host: String, port: u16) -> io::Result<()> {
        // A millisecond, where I have tried it.
        let addresses = self.resolver.resolve(&host, port);
        self.answers.push_back(Answer { token, addresses });
        self.bell.ring();
        Ok(())
    }

    /// An answer that has come and was not taken yet. Does not block.
    pub fn next_answer(&mut self) -> Option<Answer> {
        self.answers.pop_front()
    }
}
