//! Our resolver as reqwest wants it.

use std::sync::Arc;

use fetch_core::{Options, Resolve};
use reqwest::dns::{Addrs, Name, Resolving};

use crate::resolve::look_up;

/// The caller's resolver, called on a thread that may block.
#[derive(Debug)]
pub(super) struct Names {
    resolver: Arc<dyn Resolve>,
}

impl Names {
    pub(super) fn new(options: &Options) -> Self {
        Names {
            resolver: Arc::clone(&options.resolver),
        }
    }
}

impl reqwest::dns::Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = Arc::clone(&self.resolver);
        Box::pin(async move {
            // Which port is not said here: 0 lets reqwest put in the URL's.
            let addresses = look_up(&resolver, name.as_str().to_owned(), 0).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
