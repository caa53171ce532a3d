import ArgumentParser
import Foundation
import Glibc
import HealthDataSync
import HealthKit
import HealthSystem

/// Adds a sync destination.
struct SyncAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Have what is stored carried to a destination, from now on and from the beginning.",
    discussion: .paragraphs(
      """
      The address says what is there:
        postgresql://[USER@]HOST[:PORT]/DATABASE   PostgreSQL, or what speaks its protocol
        fhir+https://HOST/BASE[?subject=…]         a FHIR R4 server
        mqtts://[USER@]HOST/TOPIC, mqtt://…        a broker, such as Home Assistant's
        file:///FOLDER?format=ndjson               files: ndjson, csv or omh

      The password or token is read from --secret-file, which no other user may be able to read, or from the environment's
      HRGATE_SYNC_SECRET_NAME (NAME in capitals; what is no letter or digit is _). It is read whenever a connection is made, so that a gateway
      started by systemd must have it too.

      The destination is tried before it is added. hrgate run and hrgate sync run carry to it; a gateway that runs takes it up within seconds.

      EXAMPLES
        hrgate sync add lab postgresql:///health
        hrgate sync add lab postgresql://gateway@db.example/health --as anna \\
          --secret-file ~/.config/hrgate/lab
        hrgate sync add lab postgresql:///health --person anna
        hrgate sync add ward fhir+https://fhir.example/r4?subject=Patient/123 \\
          --secret-file token --type heartRate
        hrgate sync add home mqtt://localhost/hrgate?discovery=homeassistant
        hrgate sync add files file:///srv/health?format=csv --from 2026-01-01
        hrgate sync add study file:///srv/study?format=omh --exclude-type sleepAnalysis
      """))

  @Argument(help: "What the destination is called: letters, digits, -, _ and .")
  var name: String
  @Argument(help: "Its address, without a password.")
  var url: String
  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "Carry this type: heartRate, heartbeatSeries … (default: all; may be repeated)", valueName: "type"),
    transform: TypeArgument.read)
  var types: [TypeArgument] = []
  @Option(
    name: .customLong("exclude-type"),
    help: ArgumentHelp("Do not send this type (may be repeated).", valueName: "type"),
    transform: TypeArgument.read)
  var excludedTypes: [TypeArgument] = []
  @Option(
    name: .customLong("source"),
    help: ArgumentHelp(
      "Carry this source's samples: its bundle identifier or its name (default: all; may be repeated)",
      valueName: "source"))
  var sources: [String] = []
  @Option(
    help: ArgumentHelp("Carry samples that begin at this time or later.", valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Whose samples these are, there where many persons' meet (default: the person of --person, or your login name).",
      valueName: "name"))
  var calledPerson: String?
  @Option(
    help:
      "What the gateway is called, there where many meet; they may share a name (default: this machine's)."
  )
  var gateway: String?
  @Option(
    help: ArgumentHelp("The file with the password or token, of mode 600.", valueName: "path"),
    completion: .file())
  var secretFile: String?
  @Flag(help: "Add it without trying to connect.")
  var noCheck = false
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard SyncDestination.isName(name) else {
      throw ValidationError("\(SyncDestinationError.invalidName(name))")
    }
    guard types.isEmpty || excludedTypes.isEmpty else {
      throw ValidationError(
        "--type says what is sent, so --exclude-type has nothing to exclude: use one of them.")
    }
    for (option, value) in [("--as", calledPerson), ("--gateway", gateway)] {
      if let value, value.isEmpty || value.utf8.count > 200 || value.contains("\0") {
        throw ValidationError("\(option) is 1 to 200 bytes of text.")
      }
    }
  }

  func run() async throws {
    let person = try self.store.choice.person?.text
    let store = try store.open()
    let destinations = try SyncDestinations(store)
    let destination = SyncDestination(
      name: name, address: url, types: types.isEmpty ? nil : Set(types.map(\.type)),
      excludedTypes: Set(excludedTypes.map(\.type)), sources: try await identifiers(in: store),
      from: from?.date,
      identity: ExternalIdentity(
        person: calledPerson ?? person ?? Self.login, gateway: gateway ?? Self.machine,
        gatewayID: try await destinations.gatewayID()),
      secretFile: secretFile.map { URL(filePath: $0).standardizedFileURL.path })
    try await checkName(in: destinations)
    let rejected: [HKSampleType: String]
    var marker: DestinationMarker?
    do {
      rejected = try DestinationStore.check(destination)
      if let reason = rejected.values.sorted().first, rejected.count == types.count {
        throw ExternalStoreError.address(reason)
      }
      if !noCheck { marker = try await tryOut(destination) }
    } catch let error as ExternalStoreError {
      throw Failure("\(name) is not added: \(error)")
    }
    try await Destinations.naming { [marker] in try await destinations.add(destination, marker: marker) }
    for reason in rejected.values.sorted() { StandardError.tell("\(name): not sent: \(reason)") }
    try await tell(destinations)
  }

  /// Rejects a name that is taken, or whose secret variable another destination already uses.
  private func checkName(in destinations: SyncDestinations) async throws {
    for other in try await destinations.list() {
      guard other.name != name else {
        return try await Destinations.naming { throw SyncDestinationError.taken(name) }
      }
      guard
        DestinationSecret.variable(for: other.name) != DestinationSecret.variable(for: name)
      else {
        throw Failure(
          "\(name) would read its secret where \(other.name) does, from \(DestinationSecret.variable(for: name)): choose a name that differs in letters or digits"
        )
      }
    }
  }

  /// Opens the destination and writes a marker.
  ///
  /// - Returns: The marker. It lets a later run notice that, for example, the destination's disk is not
  ///   mounted.
  private func tryOut(_ destination: SyncDestination) async throws -> DestinationMarker? {
    let store = DestinationStore(destination)
    let marker = DestinationMarker()
    do {
      let sequence = try await store.open(expecting: marker)
      await store.close()
      return sequence.map { DestinationMarker(id: marker.id, sequence: $0) }
    } catch {
      await store.close()
      throw error
    }
  }

  private func tell(_ destinations: SyncDestinations) async throws {
    guard let status = try await destinations.status().first(where: { $0.name == name }) else { return }
    let kinds =
      types.isEmpty
      ? "all types" + (excludedTypes.isEmpty ? "" : " but \(Self.names(excludedTypes))") : Self.names(types)
    let origin = sources.isEmpty ? "all sources" : sources.joined(separator: ", ").plain
    try StandardOutput.write(
      "added: \(name) (\(status.kind)): \(kinds) of \(origin)\(from.map { ", from \(Timestamp.text($0.date)) on" } ?? "")"
    )
    try StandardOutput.write(
      "\(Counted.text(status.pending, "sample or deletion waits", "samples and deletions wait")) for it; hrgate run carries them, or hrgate sync run --once"
    )
  }

  private static func names(_ types: [TypeArgument]) -> String {
    types.map { TypeArgument.shortName($0.type) }.joined(separator: ", ")
  }

  /// Returns the bundle identifiers of the given sources.
  ///
  /// - Throws: ``Failure`` for an unknown name that is not a bundle identifier.
  private func identifiers(in store: HKHealthStore) async throws -> Set<String>? {
    guard !sources.isEmpty else { return nil }
    let known = try await SystemStore(store).sampleCounts().map(\.source)
    var identifiers: Set<String> = []
    for name in sources {
      let matching = known.filter { $0.bundleIdentifier == name || $0.name == name }.map(\.bundleIdentifier)
      // A source without samples so far can be given by its full bundle identifier.
      guard !matching.isEmpty || (name.contains(".") && !name.contains(" ")) else {
        throw Failure("the store has no source \(name); hrgate sources shows which there are")
      }
      identifiers.formUnion(matching.isEmpty ? [name] : matching)
    }
    return identifiers
  }

  private static var login: String {
    let name = NSUserName()
    return name.isEmpty ? "\(getuid())" : name
  }

  private static var machine: String {
    let name = ProcessInfo.processInfo.hostName
    return name.isEmpty ? "localhost" : name
  }
}
