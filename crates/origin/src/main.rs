//! The origin server as a program, for runs that need it in its own process.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::str::FromStr;

use lexopt::Arg;
use origin::{Config, Origin};

const DEFAULT_PORT: u16 = 8080;
/// What an option of that kind takes.
const AN_ADDRESS: &str = "an IP address, such as 127.0.0.1";

const HELP: &str = "\
The origin server of this workspace.

Usage: origin [options]

  --port N                port to listen on, 0 for any free one (default 8080)
  --address IP            address to listen on (default 127.0.0.1)
  --also IP               a further address on the same port; may be repeated
  --max-connections N     connections held at once (default 100000)
  --until-stdin-closes    end when standard input does, with a summary
  --help                  print this

Its first line of output says where it listens. Fetch / for its routes.
";

struct Options {
    config: Config,
    until_stdin_closes: bool,
}

fn main() -> ExitCode {
    let options = match parse() {
        Ok(Some(options)) => options,
        Ok(None) => {
            say(HELP);
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            complain(&format!("{error}; try --help"));
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&match error.kind() {
                ErrorKind::AddrInUse => {
                    format!("{error}; stop what listens there, or choose another --port (0: any)")
                }
                ErrorKind::PermissionDenied => format!("{error}; choose a --port above 1023"),
                ErrorKind::AddrNotAvailable => {
                    format!("{error}; choose an --address that this machine has")
                }
                _ => error.to_string(),
            });
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> io::Result<()> {
    let origin = Origin::start(options.config)?;
    say(&format!("listening on {}\n", origin.url("")));
    if !options.until_stdin_closes {
        return origin.wait();
    }
    wait_for_end_of_input()?;
    say(&format!(
        "connections: {}, peak in flight: {}\n",
        origin.accepted(),
        origin.peak_in_flight()
    ));
    origin.stop();
    Ok(())
}

fn wait_for_end_of_input() -> io::Result<()> {
    let mut ignored = [0; 1024];
    loop {
        match io::stdin().read(&mut ignored) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The options; none if help is wanted.
fn parse() -> Result<Option<Options>, Box<dyn Error>> {
    let mut config = Config {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT)),
        ..Config::default()
    };
    let mut until_stdin_closes = false;
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("port") => {
                let port = value(&mut parser, "--port", "a number from 0 to 65535")?;
                config.address.set_port(port);
            }
            Arg::Long("address") => {
                let ip: IpAddr = value(&mut parser, "--address", AN_ADDRESS)?;
                config.address.set_ip(ip);
            }
            Arg::Long("also") => config.also.push(value(&mut parser, "--also", AN_ADDRESS)?),
            Arg::Long("max-connections") => {
                let most: NonZeroUsize = value(&mut parser, "--max-connections", "1 or more")?;
                config.max_connections = most.get();
            }
            Arg::Long("until-stdin-closes") => until_stdin_closes = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(Options {
        config,
        until_stdin_closes,
    }))
}

/// The value of an option; or what it must be, and what was given.
fn value<T: FromStr>(
    parser: &mut lexopt::Parser,
    option: &str,
    wanted: &str,
) -> Result<T, lexopt::Error> {
    let value = parser.value()?;
    let parsed = value.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| format!("{option} must be {wanted}, and not {value:?}").into())
}

/// Prints at once. Whoever closed our output does not want to hear more, which
/// is no reason to stop serving.
fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "origin: {text}");
}
