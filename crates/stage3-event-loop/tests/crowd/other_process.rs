//! An origin server that shares nothing with the client: the same program,
//! started once more.

use std::error::Error;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use fetch_core::{Options, Request, Stage};
use origin::{Config, Origin};
use stage3_event_loop::EventLoop;

/// Set for the process that is the origin.
const ROLE: &str = "CROWD_ORIGIN";

pub(crate) fn is_origin() -> bool {
    std::env::var_os(ROLE).is_some()
}

/// The origin's side of it.
pub(crate) fn serve() -> Result<(), Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    println!("{}", origin.url(""));
    // Until the client ends, however it does.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// The client's side: a running origin.
pub(crate) struct OtherProcess {
    child: Child,
    url: String,
}

impl OtherProcess {
    pub(crate) fn start() -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(ROLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        let output = child.stdout.take().ok_or("no output")?;
        BufReader::new(output).read_line(&mut url)?;
        url.truncate(url.trim_end().len());
        Ok(OtherProcess { child, url })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(crate) fn text(&self, path: &str) -> Result<String, Box<dyn Error>> {
        let request = Request::get(&self.url(path))?;
        let results = EventLoop.fetch_all(vec![request], &Options::default());
        let mut text = String::new();
        for result in results {
            text += std::str::from_utf8(result?.body())?;
        }
        Ok(text)
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        // Its input ends, and then it does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
