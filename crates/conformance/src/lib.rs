//! What every stage must do the same: cases as data, and checks.
//!
//! A *case* is what a server sends, byte for byte, and the one right outcome
//! (`cases/README.md`). A *check* looks at what one response cannot show: the
//! bytes of the request, how many fetches are in flight, deadlines, cancelling,
//! what is left behind. Both are functions of a [`Subject`], so that this
//! crate's own tests can show each of them failing on a stage that is broken on
//! purpose.
//!
//! A stage's `tests/conformance.rs`, with `harness = false` in its manifest:
//!
//! ```no_run
//! # struct MyStage;
//! # impl fetch_core::Stage for MyStage {
//! #     fn fetch_all(
//! #         &self,
//! #         _: Vec<fetch_core::Request>,
//! #         _: &fetch_core::Options,
//! #     ) -> Vec<Result<fetch_core::Response, fetch_core::FetchError>> {
//! #         Vec::new()
//! #     }
//! #     fn load_home(
//! #         &self,
//! #         _: &str,
//! #         _: u64,
//! #         _: &fetch_core::Options,
//! #     ) -> Result<fetch_core::Home, fetch_core::FetchError> {
//! #         Err(fetch_core::FetchError::Cancelled)
//! #     }
//! # }
//! fn main() -> std::process::ExitCode {
//!     conformance::main(MyStage)
//! }
//! ```
//!
//! Each case and each check is a named test: `cargo test -p STAGE --test
//! conformance chunk-` runs some of them.
//!
//! Read in this order: `cases/README.md` (the contract), `case.rs` (a case),
//! `play.rs` (how it is run), `delivery.rs` (in which pieces), `judge.rs` (is it
//! right?), then `contract/`, a file for each kind of check. [`trace`] and
//! [`machine`] are for other tests, too.

mod case;
mod contract;
mod delivery;
mod judge;
pub mod machine;
mod notation;
mod play;
mod reading;
mod runner;
mod servers;
mod subject;
pub mod trace;

pub use case::{
    Case, CaseRequest, End, Expected, ExpectedHeaders, ExpectedResponse, Pauses, ReadRequest,
    Target,
};
pub use contract::{ContractCheck, contract_checks};
pub use delivery::{Delivery, SEED_VARIABLE};
pub use judge::{Latitude, compare, judge};
pub use play::{Played, play, run_case};
pub use reading::cases;
pub use runner::main;
pub use servers::{RefusingPort, connections_made};
pub use subject::{Fetched, Subject, Timed};

/// What a case or check comes to; an error says what is wrong, in words.
pub type Check = Result<Verdict, String>;

/// What a case or check comes to if nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The stage is right.
    Passed,
    /// Nothing could be found out on this machine, for this reason.
    Skipped(String),
}
