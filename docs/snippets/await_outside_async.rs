//! Does not compile: who awaits has to be `async` as well.

use std::future::Ready;

fn read_head(reading: Ready<String>) -> String {
    reading.await
}
