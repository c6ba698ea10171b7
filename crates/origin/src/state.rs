//! What the event loop and its handle share.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::journal::Journal;
use crate::script::Program;

/// The journal and the scripts. Each is locked for moments only, since the
/// loop serves nobody while it waits for a lock.
#[derive(Debug, Default)]
pub(crate) struct State {
    journal: Mutex<Journal>,
    cases: Mutex<HashMap<String, Program>>,
}

impl State {
    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn cases(&self) -> MutexGuard<'_, HashMap<String, Program>> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
