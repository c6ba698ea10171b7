//! What must hold for any input at all.

mod feed;

use bytes::Buf;
use feed::{Ending, feed};
use fetch_core::{ErrorKind, FetchError, Request, Response};
use http::Method;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const CAP: u64 = 1_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Any text is a URL or an `invalid-url`; it is never a panic, and never
    /// something else on the wire than one request line and fields.
    #[test]
    fn any_url(url in prop_oneof![any::<String>(), url_like()]) {
        match Request::get(&url) {
            Ok(request) => is_well_formed(&request)?,
            Err(error) => prop_assert!(
                matches!(error.kind(), ErrorKind::InvalidUrl | ErrorKind::UnsupportedScheme),
                "{error:?}"
            ),
        }
    }

    #[test]
    fn any_method_and_fields(
        method in prop_oneof![any::<String>(), "[A-Z]{1,8}"],
        fields in prop::collection::vec(
            (
                prop_oneof![any::<Vec<u8>>(), "[A-Za-z-]{1,12}".prop_map(String::into_bytes)],
                prop_oneof![any::<Vec<u8>>(), "[ -~]{0,20}".prop_map(String::into_bytes)],
            ),
            0..6,
        ),
        body in any::<Vec<u8>>(),
    ) {
        match Request::new(&method, "http://127.0.0.1:8080/", fields, body.clone()) {
            Ok(request) => {
                is_well_formed(&request)?;
                prop_assert_eq!(request.body(), &body);
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::InvalidRequest),
        }
    }

    #[test]
    fn any_bytes(bytes in any::<Vec<u8>>(), cuts in any::<Vec<Index>>()) {
        is_the_same_however_it_is_cut(&Method::GET, &bytes, &cuts)?;
    }

    /// Pieces of responses in any order come much further into the parsers
    /// than any bytes do.
    #[test]
    fn anything_like_a_response(
        bytes in response_like(),
        cuts in prop::collection::vec(any::<Index>(), 0..8),
        head in any::<bool>(),
    ) {
        let method = if head { Method::HEAD } else { Method::GET };
        is_the_same_however_it_is_cut(&method, &bytes, &cuts)?;
    }
}

/// One request line without white space in its target, then fields, one blank
/// line, and the body.
fn is_well_formed(request: &Request) -> Result<(), TestCaseError> {
    let mut outgoing = request.encode();
    let bytes = outgoing.copy_to_bytes(outgoing.remaining());
    let mut fields = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut fields);
    let length = match parsed.parse(&bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        other => return Err(TestCaseError::fail(format!("{other:?}: {bytes:?}"))),
    };
    prop_assert_eq!(parsed.method, Some(request.method().as_str()));
    prop_assert!(
        parsed.path.is_some_and(|path| path.starts_with('/')),
        "{:?}",
        bytes
    );
    prop_assert_eq!(parsed.headers.len(), request.headers().len());
    prop_assert_eq!(&bytes[length..], &request.body()[..]);
    Ok(())
}

fn is_the_same_however_it_is_cut(
    method: &Method,
    bytes: &[u8],
    cuts: &[Index],
) -> Result<(), TestCaseError> {
    for ending in [Ending::Eof, Ending::Reset, Ending::Open] {
        let whole = feed(method, [bytes], ending, CAP);
        let bytewise = feed(method, bytes.chunks(1), ending, CAP);
        agree(&whole, &bytewise)?;

        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.sort_unstable();
        let begins = [0].into_iter().chain(at.iter().copied());
        let ends = at.iter().copied().chain([bytes.len()]);
        let pieces = begins.zip(ends).map(|(begin, end)| &bytes[begin..end]);
        agree(&whole, &feed(method, pieces, ending, CAP))?;
    }
    Ok(())
}

fn agree(
    whole: &Result<Response, FetchError>,
    cut: &Result<Response, FetchError>,
) -> Result<(), TestCaseError> {
    match (whole, cut) {
        (Ok(whole), Ok(cut)) => {
            prop_assert_eq!(whole.status(), cut.status());
            prop_assert_eq!(whole.headers(), cut.headers());
            prop_assert_eq!(whole.body(), cut.body());
        }
        (Err(whole), Err(cut)) if whole.kind() == cut.kind() => {}
        // A head that never comes to its blank line is judged where its first
        // bytes are, and those may be harmless in one cut and not in another.
        (Err(whole), Err(cut)) => {
            let judged = [ErrorKind::InvalidHead, ErrorKind::HeadTooLarge];
            let unfinished = [ErrorKind::Disconnected, ErrorKind::Timeout];
            prop_assert!(
                judged.contains(&whole.kind()) && unfinished.contains(&cut.kind()),
                "{:?} and {:?}",
                whole,
                cut
            );
        }
        _ => prop_assert!(false, "{:?} and {:?}", whole, cut),
    }
    Ok(())
}

fn url_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(vec![
            "http://",
            "HTTP://",
            "https://",
            "//",
            "/",
            ":",
            "@",
            "?",
            "#",
            "[",
            "]",
            "[::1]",
            "127.0.0.1",
            "localhost",
            ":8080",
            "..",
            ".",
            "%",
            "%41",
            "%00",
            " ",
            "\\",
            "\r\n",
            "\u{e4}",
            "\u{3002}",
            "xn--",
            "a",
            "0x7f",
            "%2e",
            "\t",
            "\0",
            "\u{7f}",
            "\u{202e}",
        ])
        .prop_map(str::to_owned),
        "[!-~]{0,4}",
    ];
    prop::collection::vec(piece, 0..8)
        .prop_map(|pieces| pieces.concat())
        .prop_map(|text| format!("http://{text}"))
}

fn response_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(vec![
            "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 101 X\r\n", "HTTP/1.1 204 X\r\n", "HTTP/1.1 200\n",
            "Content-Length: 5\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 2000\r\n",
            "Content-Length: x\r\n", "Content-Length:\r\n 5\r\n",
            "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "X-A: b\r\n",
            " folded\r\n", "\r\n", "\n", "\r", "5\r\nhello\r\n", "5;a=b\r\nhello\r\n", "5 \r\n",
            "hello", "0\r\n", "0\r\n\r\n", "X-T: v\r\n", "ffffffffffffffff\r\n", ";", " ", "g",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    let begin = select(vec![
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    ]);
    (begin, prop::collection::vec(piece, 0..10))
        .prop_map(|(begin, pieces)| [begin.as_bytes(), &pieces.concat()].concat())
}
