//! How bytes are written in the cases: readable, and without ambiguity.

use bytes::Bytes;
use serde_json::Value;

pub(crate) fn read_pairs(pairs: &Value) -> Result<Vec<(Bytes, Bytes)>, String> {
    let pairs = pairs.as_array().ok_or("fields are not an array")?;
    pairs
        .iter()
        .map(|pair| Ok((read_bytes(&pair[0])?, read_bytes(&pair[1])?)))
        .collect()
}

/// A segment is bytes, or `{"bytewise": bytes}`: each byte a segment of its own.
pub(crate) fn read_segments(segments: Option<&Value>) -> Result<Vec<Bytes>, String> {
    let Some(segments) = segments else {
        return Ok(Vec::new());
    };
    let mut read = Vec::new();
    for segment in segments.as_array().ok_or("segments are not an array")? {
        match segment.get("bytewise") {
            Some(bytes) => {
                let bytes = read_bytes(bytes)?;
                read.extend((0..bytes.len()).map(|at| bytes.slice(at..=at)));
            }
            None => read.push(read_bytes(segment)?),
        }
    }
    Ok(read)
}

/// Bytes are a string with one character U+0000 to U+00FF for each byte, or
/// `{"repeat": bytes, "times": n}`, or `{"parts": [bytes, ...]}`.
pub(crate) fn read_bytes(value: &Value) -> Result<Bytes, String> {
    if let Some(text) = value.as_str() {
        return text
            .chars()
            .map(|char| u8::try_from(char).map_err(|_| format!("{char:?} is not one byte")))
            .collect();
    }
    if let (Some(unit), Some(times)) = (value.get("repeat"), value["times"].as_u64()) {
        let times = usize::try_from(times).map_err(|error| error.to_string())?;
        return Ok(read_bytes(unit)?.repeat(times).into());
    }
    let parts = value["parts"]
        .as_array()
        .ok_or_else(|| format!("not bytes: {value}"))?;
    let parts: Result<Vec<Bytes>, String> = parts.iter().map(read_bytes).collect();
    Ok(parts?.concat().into())
}
