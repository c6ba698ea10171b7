//! The values of options, read and checked. Errors are for the person who typed
//! them: which option, what is wrong, what to write.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;

/// So that `--data @/dev/zero` is a mistake and not the end of the machine.
const LARGEST_DATA: u64 = 256 * 1024 * 1024;

pub(crate) fn text(what: &str, value: OsString) -> Result<String, String> {
    value
        .into_string()
        .map_err(|value| format!("{what} is not valid UTF-8: {value:?}"))
}

/// Reads `--header`. The name is judged later, as a part of the request.
pub(crate) fn field(line: &OsStr) -> Result<(Vec<u8>, Vec<u8>), String> {
    let bytes = line.as_encoded_bytes();
    let Some(colon) = bytes.iter().position(|byte| *byte == b':') else {
        return Err(format!(
            "--header {line:?} has no colon: write --header 'name: value'"
        ));
    };
    // Blanks around a value are not a part of it (RFC 9110 §5.5). Anything else
    // is left for the request to judge, a line end above all.
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut value = &bytes[colon + 1..];
    while value.first().is_some_and(blank) {
        value = &value[1..];
    }
    while value.last().is_some_and(blank) {
        value = &value[..value.len() - 1];
    }
    Ok((bytes[..colon].to_vec(), value.to_vec()))
}

/// Reads `--data`: the text itself, or the file after an `@`.
pub(crate) fn data(value: &OsStr) -> Result<Bytes, String> {
    let lossy = value.to_string_lossy();
    let Some(path) = lossy.strip_prefix('@') else {
        return Ok(Bytes::copy_from_slice(value.as_encoded_bytes()));
    };
    let mut content = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_DATA + 1).read_to_end(&mut content))
        .map_err(|error| format!("--data: cannot read the file {path:?}: {error}"))?;
    if content.len() as u64 > LARGEST_DATA {
        return Err(format!(
            "--data: the file {path:?} has more than {LARGEST_DATA} bytes, the most that is sent"
        ));
    }
    Ok(content.into())
}

pub(crate) fn number<N: FromStr>(name: &str, value: OsString, wanted: &str) -> Result<N, String> {
    let value = text(&format!("--{name}"), value)?;
    // `FromStr` takes a plus sign, too; a number here is digits.
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse() {
        Ok(number) if digits => Ok(number),
        _ => Err(format!("--{name} must be {wanted}, and not {value:?}")),
    }
}

pub(crate) fn seconds(value: OsString) -> Result<Duration, String> {
    let value = text("--deadline", value)?;
    let number: Option<f64> = value.parse().ok();
    number
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("--deadline must be seconds, such as 2.5, and not {value:?}"))
}
