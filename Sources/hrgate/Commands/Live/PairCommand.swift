import ArgumentParser
import Bluetooth
import Gateway
import HealthDataSync
import HealthSystem

/// Pairs with a monitor and remembers it.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair with a heart-rate monitor and remember it.",
    discussion: .paragraphs(
      """
      Connects, makes sure that it measures heart rate, pairs, and reads what the monitor says about itself. hrgate run then follows it.
      A monitor that requires a passkey displays it or has it printed on it; enter it when you are asked, or give it with --passkey.
      A monitor that cannot pair is remembered without a bond, which the Heart Rate Service does not need.

      A monitor belongs to one person: paired with --person it is that person's from then on, and what it measured before stays where it is.
      Paired again without --person it stays whose it is; --person owner makes it the owner's.

      EXAMPLES
        hrgate pair F0:0D:BE:A7:01:01
        hrgate pair "Polar H10 12345678"
        hrgate pair "Polar H10 12345678" --person anna
        hrgate pair F0:0D:BE:A7:01:02 --passkey 123456
        hrgate pair F0:0D:BE:A7:01:03 --no-bond
      """))

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String

  @Option(
    help: ArgumentHelp(
      "The passkey, if the monitor requires one; if it displays one, it must be this.", valueName: "digits"),
    transform: PasskeyArgument.read)
  var passkey: PasskeyArgument?
  @Flag(help: "Remember the monitor without pairing.")
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
      try await pairing.pair(monitor, bonding: bonding, dialogue: dialogue) { StandardError.tell($0.text) }
    }
    let line = MonitorView(paired.monitor, hasGateway: paired.registry.hasGateway, person: paired.person)
    let lines = try json ? [JSONLine.text(line)] : MonitorTable.lines([line])
    for line in lines { try StandardOutput.write(line) }
  }
}

/// Six digits.
struct PasskeyArgument: CheckedArgument {
  var number: UInt32

  init?(argument: String) {
    guard (1...6).contains(argument.utf8.count), argument.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = UInt32(argument)
    else { return nil }
    self.number = number
  }

  static func rule(for argument: String) -> String {
    "a passkey has six digits at most"
  }
}
