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
    abstract:
      "Add a sync destination: a database, FHIR server, MQTT broker or directory that gets all samples, then new ones.",
    discussion: .paragraphs(
      """
      The address selects the kind of destination:
        postgresql://[USER@]HOST[:PORT]/DATABASE   PostgreSQL, or a compatible database
        fhir+https://HOST/BASE[?subject=…]         a FHIR R4 server
        mqtts://[USER@]HOST/TOPIC, mqtt://…        an MQTT broker (Home Assistant)
        file:///FOLDER?format=ndjson               files: ndjson, csv or omh

      The password or token is read from --secret-file, which must not be readable by other users, or from the environment variable
      HRGATE_SYNC_SECRET_NAME (NAME is the destination's name in capitals, with _ for each character that is not a letter or digit). It is
      read for each connection, so a gateway that systemd starts needs access to it too.

      The connection is tested before the destination is added. hrgate run and hrgate sync run send to it; a running gateway starts within
      seconds.

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

  @Argument(help: "A name of your choice for the destination, such as lab: letters, digits, -, _ and .")
  var name: String
  @Argument(
    help:
      "URL of the destination, without a password, such as postgresql:///health, fhir+https://HOST/BASE, mqtts://HOST/TOPIC or file:///FOLDER."
  )
  var url: String
  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "Send only samples of this type, such as heartRate or heartbeatSeries; may be repeated (default: all types).",
      valueName: "type"),
    transform: TypeArgument.read)
  var types: [TypeArgument] = []
  @Option(
    name: .customLong("exclude-type"),
    help: ArgumentHelp(
      "Do not send samples of this type, such as sleepAnalysis; may be repeated (default: none).",
      valueName: "type"),
    transform: TypeArgument.read)
  var excludedTypes: [TypeArgument] = []
  @Option(
    name: .customLong("source"),
    help: ArgumentHelp(
      "Send only samples that this app or device recorded: its name or bundle identifier, see 'hrgate sources'; may be repeated (default: all).",
      valueName: "source"))
  var sources: [String] = []
  @Option(
    help: ArgumentHelp(
      "Send only samples that start at this time or later, such as 2026-01-01 (default: all).",
      valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Name under which the samples are stored at the destination, such as anna (default: the name in --person, or your login name).",
      valueName: "name"))
  var calledPerson: String?
  @Option(
    help:
      "Name of this computer at the destination, such as bedroom (default: its host name)."
  )
  var gateway: String?
  @Option(
    help: ArgumentHelp(
      "Path of a file that contains only the password or token and that only you can read (mode 600).",
      valueName: "path"),
    completion: .file())
  var secretFile: String?
  @Flag(help: "Add the destination without testing the connection first.")
  var noCheck = false
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard SyncDestination.isName(name) else {
      throw ValidationError("\(SyncDestinationError.invalidName(name))")
    }
    guard types.isEmpty || excludedTypes.isEmpty else {
      throw ValidationError(
        "--type and --exclude-type cannot be used together.")
    }
    for (option, value) in [("--as", calledPerson), ("--gateway", gateway)] {
      if let value, value.isEmpty || value.utf8.count > 200 || value.contains("\0") {
        throw ValidationError("\(option) must be 1 to 200 bytes of text.")
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
      throw CommandError("\(name) was not added: \(error)")
    }
    try await Destinations.naming { [marker] in try await destinations.add(destination, marker: marker) }
    for reason in rejected.values.sorted() { StandardError.print("\(name): not sent: \(reason)") }
    try await printSummary(destinations)
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
        throw CommandError(
          "\(name) would read its secret from \(DestinationSecret.variable(for: name)), as \(other.name) does; choose a name that differs in letters or digits"
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

  private func printSummary(_ destinations: SyncDestinations) async throws {
    guard let status = try await destinations.status().first(where: { $0.name == name }) else { return }
    let kinds =
      types.isEmpty
      ? "all types" + (excludedTypes.isEmpty ? "" : " except \(Self.names(excludedTypes))")
      : Self.names(types)
    let origin = sources.isEmpty ? "all sources" : sources.joined(separator: ", ").plain
    try StandardOutput.write(
      "added: \(name) (\(status.kind)): \(kinds) of \(origin)\(from.map { ", from \(Timestamp.text($0.date)) on" } ?? "")"
    )
    try StandardOutput.write(
      "\(Counted.text(status.pending, "sample or deletion", "samples and deletions")) to send; hrgate run sends them, or hrgate sync run --once"
    )
  }

  private static func names(_ types: [TypeArgument]) -> String {
    types.map { TypeArgument.shortName($0.type) }.joined(separator: ", ")
  }

  /// Returns the bundle identifiers of the given sources.
  ///
  /// - Throws: ``CommandError`` for an unknown name that is not a bundle identifier.
  private func identifiers(in store: HKHealthStore) async throws -> Set<String>? {
    guard !sources.isEmpty else { return nil }
    let known = try await SystemStore(store).sampleCounts().map(\.source)
    var identifiers: Set<String> = []
    for name in sources {
      let matching = known.filter { $0.bundleIdentifier == name || $0.name == name }.map(\.bundleIdentifier)
      // A source without samples so far can be given by its full bundle identifier.
      guard !matching.isEmpty || (name.contains(".") && !name.contains(" ")) else {
        throw CommandError("no stored sample is from \(name); list the apps and devices with: hrgate sources")
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
