import ArgumentParser
import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthSystem

/// Somebody more.
struct PeopleAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make a store for a person.",
    discussion: .paragraphs(
      """
      A name is letters and digits of any language, with single spaces, -, _ or ' between them; capitals make no difference.

      EXAMPLES
        hrgate people add anna
      """))

  @Argument(help: "What the person is called.", transform: PersonArgument.read)
  var name: PersonArgument

  func run() async throws {
    let people = People()
    try PersonFault.told { () throws(PersonFault) in try people.add(name.name) }
    let store = people.home.people.store(of: name.name)
    do {
      _ = try SystemStore(at: store)
    } catch {
      throw Failure(
        "\(name.name.text) is added, and the store cannot be made yet: \(error.localizedDescription)")
    }
    try StandardOutput.write("added: \(name.name.text)  \(store.plain)")
  }
}

/// The same person under another name.
struct PeopleRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Call a person otherwise.",
    discussion: .paragraphs(
      """
      A gateway that runs lets go of their monitors first, and takes them up again; the time in between is a recorded gap. Other programs
      that have the store open are not interrupted: it is refused while there are any.

      EXAMPLES
        hrgate people rename anna "Anna Maria"
      """))

  @Argument(help: "What the person is called.", transform: PersonArgument.read)
  var name: PersonArgument
  @Argument(help: "What they are to be called.", transform: PersonArgument.read)
  var new: PersonArgument

  func run() async throws {
    let people = People()
    try await untilInterrupted(Interruption()) { [name, new] in
      try await PersonFault.told { try await people.rename(name.name, to: new.name) }
    }
    try StandardOutput.write("renamed: \(name.name.text) is \(new.name.text) now")
  }
}

/// Somebody less.
struct PeopleRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a person, and keep or delete what is stored of them.",
    discussion: .paragraphs(
      """
      Their monitors are followed no longer. Without --delete-data their store is moved below $XDG_DATA_HOME/hrgate/former-people, where
      --store reads it. With it, the store is deleted for good: it asks for the person's name, which has to be typed.

      EXAMPLES
        hrgate people remove anna
        hrgate people remove anna --delete-data
      """))

  @Argument(help: "What the person is called.", transform: PersonArgument.read)
  var name: PersonArgument
  @Flag(help: "Delete all that is stored of the person.")
  var deleteData = false
  @Flag(help: "Do not ask. Not with --delete-data.")
  var yes = false

  func validate() throws {
    if deleteData, yes { throw ValidationError("--delete-data asks for the name, whatever --yes says.") }
  }

  func run() async throws {
    let people = People()
    let person = try PersonFault.told { () throws(PersonFault) in try people.home.people.person(name.name) }
    let store = people.home.people.store(of: person)
    guard deleteData ? isNamed(person) : yes || agrees(person) else {
      throw Failure("nothing is removed")
    }
    let monitors = await Self.monitors(in: store)
    let kept = try await untilInterrupted(Interruption()) { [deleteData] in
      try await PersonFault.told { try await people.remove(person, deletingData: deleteData) }
    }
    try StandardOutput.write(
      "removed: \(person.text)"
        + (kept.map { "; the store is kept: \($0.plain)" } ?? "; the store is deleted"))
    for address in monitors {
      StandardError.tell(
        "\(address) is nobody's now; bluetoothd knows it until hrgate forget \(address)")
    }
  }

  /// What a person is asked about is what will be gone, so the name is typed.
  private func isNamed(_ person: PersonName) -> Bool {
    StandardError.show("All that is stored of \(person.text) will be deleted. To do so, type the name: ")
    return (readLine() ?? "").trimmingCharacters(in: .whitespaces) == person.text
  }

  /// Whatever is no yes is a no, the end of the input too.
  private func agrees(_ person: PersonName) -> Bool {
    StandardError.show("remove \(person.text), and keep what is stored? [y/n] ")
    return ["y", "yes"].contains((readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased())
  }

  private static func monitors(in store: String) async -> [String] {
    guard FileManager.default.fileExists(atPath: store),
      let registry = try? MonitorRegistry(at: .file(store)),
      let monitors = try? await registry.monitors()
    else { return [] }
    return monitors.map(\.address.description)
  }
}

/// A person's name, which need not be anybody's.
struct PersonArgument: CheckedArgument {
  let name: PersonName

  init?(argument: String) {
    guard let name = try? PersonName(argument) else { return nil }
    self.name = name
  }

  static func rule(for argument: String) -> String {
    PersonFault.invalidName(argument).description
  }
}
