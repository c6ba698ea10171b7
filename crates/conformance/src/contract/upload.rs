//! Requests too large for the socket's buffers.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{Builder, sleep};
use std::time::Duration;

use bytes::Bytes;
use fetch_core::Request;

use super::setup::{AMPLE, OK, deadline, expect_body, passed};
use super::{ContractCheck, check};
use crate::{Check, Subject};

pub(super) const CHECKS: &[ContractCheck] = &[check("upload-8MiB", eight_mebibytes)];

const LENGTH: usize = 8 << 20;

/// Every byte arrives, in order, although the server reads in fits and starts
/// and the client can write only parts.
fn eight_mebibytes(subject: &Subject) -> Check {
    // No two stretches are alike, so none can be lost, doubled or swapped.
    let body: Bytes = (0u32..LENGTH as u32 / 4)
        .flat_map(u32::to_le_bytes)
        .collect();
    let (address, received) = receive(body.clone())?;
    let no_fields: [(&str, &str); 0] = [];
    let request = Request::new("POST", &format!("http://{address}/"), no_fields, body);
    let request = request.map_err(|error| error.to_string())?;
    let fetched = subject.fetch(request, &deadline(AMPLE))?;
    let judged = received.recv_timeout(AMPLE);
    judged.map_err(|_| "the server has not received the upload".to_owned())??;
    expect_body("the answer", &fetched.result, b"ok")?;
    passed()
}

/// A server for one upload, which it judges. The origin server's journal keeps
/// only the beginning of a request.
fn receive(body: Bytes) -> Result<(SocketAddr, Receiver<Result<(), String>>), String> {
    let words = |error: std::io::Error| error.to_string();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(words)?;
    let address = listener.local_addr().map_err(words)?;
    let (sender, receiver) = channel();
    let serve = move || {
        let judged = listener
            .accept()
            .and_then(|(stream, _)| read_slowly(stream, body.len()))
            .map_err(words)
            .and_then(|received| {
                let same = received
                    .iter()
                    .zip(&body)
                    .take_while(|(a, b)| a == b)
                    .count();
                if same == body.len() && received.len() == same {
                    return Ok(());
                }
                let (is, not) = (received.len(), body.len());
                Err(format!(
                    "{is} bytes of {not} came, and only the first {same} are right"
                ))
            });
        // The check may have ended without waiting for this.
        let _ = sender.send(judged);
    };
    // It ends with its one client; nobody cancels it; the receiver has its result;
    // there is one for a check.
    Builder::new().spawn(serve).map_err(words)?;
    Ok((address, receiver))
}

/// Reads a request whose body has `length` bytes, answers it, and gives the
/// body.
fn read_slowly(mut stream: TcpStream, length: usize) -> std::io::Result<Vec<u8>> {
    const BLANK_LINE: &[u8] = b"\r\n\r\n";
    stream.set_read_timeout(Some(AMPLE / 2))?;
    let mut received = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    let mut pauses = 0;
    loop {
        let count = stream.read(&mut buffer)?;
        received.extend_from_slice(&buffer[..count]);
        let head = received
            .windows(4)
            .take(4096)
            .position(|four| four == BLANK_LINE);
        let body_begins = head.map(|at| at + BLANK_LINE.len());
        let complete = body_begins.is_some_and(|begin| received.len() >= begin + length);
        if count == 0 || complete {
            stream.write_all(OK.as_bytes())?;
            return Ok(received.split_off(body_begins.unwrap_or(0)));
        }
        if pauses < 5 {
            pauses += 1;
            sleep(Duration::from_millis(60));
        }
    }
}
