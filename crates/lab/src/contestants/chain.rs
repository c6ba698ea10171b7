//! The call chain of a fetch, as a debugger would show it.

use backtrace::Backtrace;

/// The stack as it is now: addresses only, since finding their names takes a debug
/// build half a second, and whoever else is on the thread would wait for that.
pub(super) fn here() -> Backtrace {
    Backtrace::new_unresolved()
}

/// The functions of the stages in it, innermost first. Where the compiler has put one
/// function into another, a build without debug information shows only the outer one.
pub(super) fn of_stages(mut stack: Backtrace) -> Vec<String> {
    stack.resolve();
    let symbols = stack.frames().iter().flat_map(|frame| frame.symbols());
    let names = symbols.filter_map(|symbol| Some(format!("{:#}", symbol.name()?)));
    let mut chain: Vec<String> = names.filter_map(|name| of_a_stage(&name)).collect();
    chain.dedup();
    chain
}

/// `<stage4::timeout::Timeout<F> as Future>::poll` is `Timeout::poll`, and
/// `stage5::fetch::read_head::{{closure}}`, the poll of an `async fn`, is `read_head`;
/// none if it belongs to std, the lab, or a library.
fn of_a_stage(name: &str) -> Option<String> {
    let krate = name.trim_start_matches('<').split("::").next()?;
    if !krate.starts_with("stage") || krate == "stage_cli" {
        return None;
    }
    let name = name
        .replace("::{{closure}}", "")
        .replace("::{{synthetic}}", "");
    let method = name.rsplit("::").next()?;
    // Of `<Type<F> as Trait>::method`, what comes before ` as `; of `Type<F>::method`,
    // what comes before the method.
    let path = match name
        .strip_prefix('<')
        .and_then(|rest| rest.split_once(" as "))
    {
        Some((path, _)) => path,
        None => name.strip_suffix(method)?.trim_end_matches(':'),
    };
    let path = path.split('<').next()?.trim_end_matches(':');
    let owner = path.rsplit("::").next()?;
    // A module says little; a type says whose method it is, unless it is the stage.
    let is_type = owner.starts_with(|c: char| c.is_ascii_uppercase());
    match is_type && method != "fetch_all" {
        true => Some(format!("{owner}::{method}")),
        false => Some(method.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::of_a_stage;

    #[test]
    fn names_are_short_and_of_stages_only() {
        for (name, short) in [
            ("stage1_x::fetch::read_head", "read_head"),
            ("stage1_x::connection::Connection::read", "Connection::read"),
            ("stage5_x::fetch::read_head::{{closure}}", "read_head"),
            (
                "stage2_x::pool::Pool::new::{{closure}}::{{closure}}",
                "Pool::new",
            ),
            ("stage4_x::handle::Spawned<T>::poll", "Spawned::poll"),
            (
                "<stage4_x::timeout::Timeout<F> as core::future::future::Future>::poll",
                "Timeout::poll",
            ),
            (
                "<stage5_x::AsyncAwait as fetch_core::stage::Stage>::fetch_all::{{closure}}",
                "fetch_all",
            ),
        ] {
            assert_eq!(of_a_stage(name).as_deref(), Some(short), "{name}");
        }
        for other in ["lab::main", "std::thread::spawn", "stage_cli::run", "main"] {
            assert_eq!(of_a_stage(other), None);
        }
    }
}
