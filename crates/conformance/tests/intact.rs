//! All of the suite on the reference stage, as a real stage runs it: a right
//! stage passes.

mod reference;

fn main() -> std::process::ExitCode {
    conformance::main(reference::Reference(None))
}
