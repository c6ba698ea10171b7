//! The two fetches side by side: what they hold, and what they say.
//!
//! `cargo run -p stage4-hand-rolled-future --example sizes`
//!
//! Both futures are one value each, with room for the largest of their states.
//! The traces differ in nothing: for whoever polls, an `async fn` and an enum
//! with a `poll` are the same thing.

use std::error::Error;
use std::fmt;
use std::mem::size_of_val;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use fetch_core::{Options, Request, Stage};
use origin::{Config, Origin};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::{HandRolledFuture, Written, by_compiler, by_hand};
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

/// The bytes of the future by hand, and of that by the compiler.
pub(crate) fn sizes(url: &str) -> Result<[usize; 2], Box<dyn Error>> {
    let runtime = Runtime::new()?;
    let options = Rc::new(Options::default());
    let reactor = runtime.reactor();
    let request = Request::get(url)?;
    let by_hand = by_hand::fetch(0, request.clone(), Rc::clone(&options), Rc::clone(reactor));
    let by_compiler = by_compiler::fetch(0, request, options, Rc::clone(reactor));
    Ok([size_of_val(&by_hand), size_of_val(&by_compiler)])
}

/// What fetching the home page says, line by line.
pub(crate) fn trace(fetch: Written, origin: &Origin) -> Result<Vec<String>, Box<dyn Error>> {
    let heard = Heard::default();
    let home = tracing::subscriber::with_default(heard.clone(), || {
        HandRolledFuture { fetch }.load_home(&origin.url(""), 42, &Options::default())
    });
    home?;
    let lines = heard.0.lock().map_err(|_| "a listener panicked")?;
    Ok(lines.clone())
}

fn main() -> Result<(), Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let [by_hand, by_compiler] = sizes(&origin.url("/users/42/profile"))?;
    println!("by hand: {by_hand} bytes");
    println!("by the compiler: {by_compiler} bytes");
    for fetch in [Written::ByHand, Written::ByCompiler] {
        println!("\n{fetch:?}");
        for line in trace(fetch, &origin)? {
            println!("  {line}");
        }
    }
    Ok(())
}

/// Listens to the trace.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == fetch_core::wait::TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        if let Ok(mut lines) = self.0.lock() {
            lines.push(format!(
                "fetch {}: {}{}",
                words.fetch, words.message, words.detail
            ));
        }
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Words {
    fetch: u64,
    message: String,
    detail: String,
}

impl Visit for Words {
    fn record_u64(&mut self, _: &Field, fetch: u64) {
        self.fetch = fetch;
    }

    fn record_str(&mut self, _: &Field, detail: &str) {
        self.detail = format!(" {detail}");
    }

    fn record_debug(&mut self, _: &Field, message: &dyn fmt::Debug) {
        self.message = format!("{message:?}");
    }
}
