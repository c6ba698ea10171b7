//! One run of each stage as a page. (written next)
use crate::failure::{Failure, Outcome};
use std::path::PathBuf;
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Job {
    #[default]
    Home,
    Ten,
    Stall,
}
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    pub(crate) stage: Option<String>,
    pub(crate) job: Job,
    pub(crate) out: PathBuf,
}
impl Job {
    pub(crate) fn parse(t: &str) -> Outcome<Job> {
        Err(Failure::new(t))
    }
}
pub(crate) fn run(_: &Wanted) -> Outcome<()> {
    Ok(())
}
