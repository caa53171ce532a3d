import ArgumentParser
import BlueZ
import Bluetooth
import BluetoothCentral
import Gateway

/// Pairs with a monitor and remembers it.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair with a heart-rate monitor and remember it.",
    discussion: """
      Connects, makes sure that it measures heart rate, pairs, and reads what the monitor says about itself. hrgate run then follows it.
      A monitor that requires a passkey displays it or has it printed on it; enter it when you are asked, or give it with --passkey.
      A monitor that cannot pair is remembered without a bond, which the Heart Rate Service does not need.

      EXAMPLES
        hrgate pair F0:0D:BE:A7:01:01
        hrgate pair "Polar H10 12345678"
        hrgate pair F0:0D:BE:A7:01:02 --passkey 123456
        hrgate pair F0:0D:BE:A7:01:03 --no-bond
      """)

  @Argument(help: "The monitor's address, or its name.")
  var monitor: String

  @Option(
    help: ArgumentHelp(
      "The passkey, if the monitor requires one; if it displays one, it must be this.", valueName: "digits"))
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
    let registry = try MonitorRegistry(store.open())
    let dialogue = TerminalPairingDialogue(passkey: passkey?.number)
    let bonding: Bonding = noBond ? .none : passkey == nil ? .preferred : .required
    let (monitor, adapter) = (monitor, try adapter.address)
    let facts = try await untilInterrupted(Interruption()) {
      try await BlueZHost.with(adapter: adapter) { host in
        try await host.enrol(monitor, bonding: bonding, dialogue: dialogue) {
          StandardError.tell($0.text)
        }
      }
    }
    if let refusal = facts.bondRefusal { StandardError.tell("there is no bond: \(refusal)") }
    if facts.address.isPrivate {
      StandardError.tell(
        "\(facts.address) is a private address, which changes by itself: then the monitor is not recognised, and has to be paired again"
          + (noBond ? ". With a bond it is recognised, if it tells its identity: leave out --no-bond." : "."))
    }
    let now = SystemClocks.now().wall
    var enrolled = EnrolledMonitor(
      address: facts.address, name: facts.name, isBonded: facts.isBonded, enrolled: now)
    enrolled.learn(facts.values.map { ($0.characteristic, $0.value) })
    enrolled.battery = facts.battery
    enrolled.lastSeen = now
    enrolled.adapter = facts.adapter
    try await registry.enrol(enrolled)
    if let former = facts.privateAddress, try await registry.forget(former) {
      StandardError.tell(
        "it was enrolled as \(former), a private address of it; \(facts.address) takes its place")
    }
    let line = MonitorLine(
      try await registry.monitor(facts.address) ?? enrolled, hasGateway: registry.hasGateway)
    let lines = try json ? [JSONLine.text(line)] : MonitorTable.lines([line])
    for line in lines { try StandardOutput.write(line) }
  }
}

/// Six digits.
struct PasskeyArgument: ExpressibleByArgument {
  var number: UInt32

  init?(argument: String) {
    guard (1...6).contains(argument.utf8.count), argument.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = UInt32(argument)
    else { return nil }
    self.number = number
  }
}

extension BlueZHost.EnrolmentStep {
  fileprivate var text: String {
    switch self {
    case .searching: "looking for the monitor …"
    case .connecting(let address, let name): "connecting to \(name.map { "\($0.plain), " } ?? "")\(address) …"
    case .resolving: "reading its services …"
    case .removingBond(let address):
      "\(address) closes each link at once, as one that has lost its bond. The bond is removed here, to make a new one …"
    case .removingOldKeys(let address):
      "\(address) has new keys, and bluetoothd knows it by older ones too. All are removed here, to pair once more …"
    case .pairing: "pairing …"
    case .reading: "reading what it says of itself …"
    }
  }
}
