//! What a process under measurement is told: `KEY=VALUE` on its command line.

use std::fmt::Display;
use std::str::FromStr;

use crate::failure::{During, Failure, Outcome};

/// The words after the process's name. Also what a contestant in another
/// language is given, so they are words and not flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(crate) fn new() -> Self {
        Parameters::default()
    }

    pub(crate) fn with(mut self, key: &str, value: impl Display) -> Self {
        self.0.push((key.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Outcome<Self> {
        let pair = |word: String| match word.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(Failure::new(format!("{word:?} is not KEY=VALUE"))),
        };
        let pairs: Outcome<_> = words.into_iter().map(pair).collect();
        Ok(Parameters(pairs?))
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(key, value)| format!("{key}={value}"))
    }

    /// The value of `key`; the last one, if it was given twice.
    pub(crate) fn text(&self, key: &str) -> Outcome<&str> {
        let found = self.0.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str()).during(key)
    }

    pub(crate) fn number<T: FromStr>(&self, key: &str) -> Outcome<T> {
        let text = self.text(key)?;
        text.parse()
            .map_err(|_| Failure::new(format!("{key}={text} is not a number that fits")))
    }

    /// As [`number`](Self::number), with a value for where the key is not given.
    pub(crate) fn number_or<T: FromStr>(&self, key: &str, otherwise: T) -> Outcome<T> {
        match self.text(key) {
            Ok(_) => self.number(key),
            Err(_) => Ok(otherwise),
        }
    }
}
