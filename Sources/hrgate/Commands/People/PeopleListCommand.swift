import ArgumentParser
import Bluetooth
import Gateway
import HealthDataSync
import HealthKit
import HealthSystem

/// Lists the people.
struct PeopleListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the people that you added, with the number of their monitors and their database files.")

  @Flag(help: "Print one JSON object for each person.")
  var json = false

  func run() async throws {
    let people = People()
    var lines: [PersonLine] = []
    for name in try PersonError.translating({ () throws(PersonError) in try people.list() }) {
      lines.append(await PersonLine(name, storeAt: people.home.people.store(of: name)))
    }
    for line in try json ? lines.map({ try JSONLine.text($0) }) : PersonLine.table(lines) {
      try StandardOutput.write(line)
    }
    if lines.isEmpty, !json {
      StandardError.print("there are no other people; add one with: hrgate people add NAME")
    }
  }
}

/// The JSON object that `hrgate people list --json` prints for a person. The names are stable; unknown values
/// are absent.
struct PersonLine: Encodable {
  var person: String
  var store: String
  /// The addresses of the person's monitors.
  var monitors: [String]?
  /// Whether a gateway follows the person's monitors now.
  var followed: Bool
  /// The error, if the store cannot be read.
  var failure: String?

  init(_ name: PersonName, storeAt path: String) async {
    person = name.text
    store = path
    followed = StoreCare.hasGateway(path)
    do {
      let registry = try MonitorRegistry(HKHealthStore(storeAt: path))
      monitors = try await registry.monitors().map(\.address.description)
    } catch {
      failure = error.localizedDescription
    }
  }

  static func table(_ lines: [PersonLine]) -> [String] {
    TextTable.lines(
      lines.map { line in
        let monitors = line.monitors.map { Counted.text($0.count, "monitor") }
        return [
          line.person.plain, monitors ?? "cannot be read: \((line.failure ?? "").plain)",
          line.followed ? "recorded now" : "", line.store.plain,
        ]
      })
  }
}
