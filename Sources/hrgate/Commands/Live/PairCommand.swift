import ArgumentParser
import Bluetooth
import Gateway
import HealthDataSync
import HealthSystem

/// Pairs with a monitor and remembers it.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair with a heart-rate monitor, so that hrgate run records it.",
    discussion: .paragraphs(
      """
      Connects, checks that the device measures heart rate, pairs, and reads the device information. From then on, hrgate run connects to the
      monitor and stores what it measures. If a monitor requires a passkey, it shows the passkey or has it printed on it: enter it when asked,
      or give it with --passkey. A monitor that shows another passkey than the given one is not paired. A monitor that cannot pair is added
      without a bond; the Heart Rate Service does not require one.

      Each monitor records for one person: for you, who are called owner, or for a person added with hrgate people. --person anna assigns the
      monitor to anna from now on; earlier measurements stay where they are. Pairing again without --person does not change the person, and
      --person owner assigns the monitor to you.

      EXAMPLES
        hrgate pair F0:0D:BE:A7:01:01
        hrgate pair "Polar H10 12345678"
        hrgate pair "Polar H10 12345678" --person anna
        hrgate pair F0:0D:BE:A7:01:02 --passkey 123456
        hrgate pair F0:0D:BE:A7:01:03 --no-bond
      """))

  @Argument(help: "The monitor's address or name, as hrgate scan shows them.")
  var monitor: String

  @Option(
    help: ArgumentHelp(
      "Passkey of one to six digits that the monitor displays or has printed on it, such as 123456 (default: hrgate asks for it if the monitor requires one).",
      valueName: "digits"),
    transform: PasskeyArgument.read)
  var passkey: PasskeyArgument?
  @Flag(help: "Record the monitor without Bluetooth pairing: no bond, and an unencrypted connection.")
  var noBond = false
  @OptionGroup var adapter: AdapterOptions
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the monitor as a JSON object.")
  var json = false

  func validate() throws {
    if noBond, passkey != nil { throw ValidationError("--no-bond and --passkey cannot be used together.") }
  }

  func run() async throws {
    let monitor = monitor
    let pairing = try MonitorPairing(
      store.choice, MonitorRegistry(store.open()), adapter: adapter.address)
    let bonding: Bonding = noBond ? .none : passkey == nil ? .preferred : .required
    let dialogue = TerminalPairingDialogue(passkey: passkey?.number)
    let paired = try await untilInterrupted(Interruption()) {
      try await pairing.pair(monitor, bonding: bonding, dialogue: dialogue) { StandardError.print($0.text) }
    }
    let printed = paired.monitor.printed(hasGateway: paired.registry.hasGateway)
    let lines =
      try json
      ? [JSONLine.text(OwnedMonitor(monitor: printed, person: paired.person))] : MonitorTable.lines([printed])
    for line in lines { try StandardOutput.write(line) }
  }
}

/// A passkey of at most six digits.
struct PasskeyArgument: CheckedArgument {
  var number: UInt32

  init?(argument: String) {
    guard (1...6).contains(argument.utf8.count), argument.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = UInt32(argument)
    else { return nil }
    self.number = number
  }

  static func rule(for argument: String) -> String {
    "a passkey has one to six digits, such as 123456"
  }
}
