import ArgumentParser
import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthSystem

/// Adds a person.
struct PeopleAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a person, whose health data is kept in a database file of its own.",
    discussion: .paragraphs(
      """
      A name consists of letters and digits of any language, with single spaces, -, _ or ' between them. Case is ignored.

      EXAMPLES
        hrgate people add anna
      """))

  @Argument(help: "A name for the person, such as anna.", transform: PersonArgument.read)
  var name: PersonArgument

  func run() async throws {
    let people = People()
    try PersonError.translating { () throws(PersonError) in try people.add(name.name) }
    let store = people.home.people.store(of: name.name)
    do {
      _ = try SystemStore(at: store)
    } catch {
      throw CommandError(
        "\(name.name.text) was added, but the store could not be created: \(error.localizedDescription)")
    }
    try StandardOutput.write("added: \(name.name.text)  \(store.plain)")
  }
}

/// Renames a person.
struct PeopleRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a person.",
    discussion: .paragraphs(
      """
      A running gateway (hrgate run) disconnects the person's monitors and connects again after the change, and records that time as a gap.
      Renaming fails while other programs have the person's store (database file) open.

      EXAMPLES
        hrgate people rename anna "Anna Maria"
      """))

  @Argument(help: "The person's name, as hrgate people shows it.", transform: PersonArgument.read)
  var name: PersonArgument
  @Argument(help: "The new name, such as \"Anna Maria\".", transform: PersonArgument.read)
  var new: PersonArgument

  func run() async throws {
    let people = People()
    try await untilInterrupted(Interruption()) { [name, new] in
      try await PersonError.translating { try await people.rename(name.name, to: new.name) }
    }
    try StandardOutput.write("renamed: \(name.name.text) is now \(new.name.text)")
  }
}

/// Removes a person.
struct PeopleRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a person, and keep or delete their data.",
    discussion: .paragraphs(
      """
      The person's monitors are no longer recorded. Without --delete-data the database file is moved to $XDG_DATA_HOME/hrgate/former-people,
      where other commands can read it with --store. With --delete-data it is deleted permanently, after you type the person's name to confirm.

      EXAMPLES
        hrgate people remove anna
        hrgate people remove anna --delete-data
      """))

  @Argument(help: "The person's name, as hrgate people shows it.", transform: PersonArgument.read)
  var name: PersonArgument
  @Flag(help: "Delete the person's health data instead of keeping the file.")
  var deleteData = false
  @Flag(help: "Remove the person without asking for confirmation. Cannot be used with --delete-data.")
  var yes = false

  func validate() throws {
    if deleteData, yes { throw ValidationError("--delete-data and --yes cannot be used together.") }
  }

  func run() async throws {
    let people = People()
    let person = try PersonError.translating { () throws(PersonError) in
      try people.home.people.person(name.name)
    }
    let store = people.home.people.store(of: person)
    guard deleteData ? isNamed(person) : yes || agrees(person) else {
      throw CommandError("nothing was removed")
    }
    let monitors = await Self.monitors(in: store)
    let kept = try await untilInterrupted(Interruption()) { [deleteData] in
      try await PersonError.translating { try await people.remove(person, deletingData: deleteData) }
    }
    try StandardOutput.write(
      "removed: \(person.text)"
        + (kept.map { "; the store is kept: \($0.plain)" } ?? "; the store was deleted"))
    for address in monitors {
      StandardError.print(
        "\(address) is no longer recorded for anyone; bluetoothd keeps its bond until you run: hrgate forget \(address)"
      )
    }
  }

  /// Asks the user to type the person's name, because the data cannot be recovered.
  private func isNamed(_ person: PersonName) -> Bool {
    StandardError.show("All data of \(person.text) will be deleted. To confirm, type the name: ")
    return (readLine() ?? "").trimmingCharacters(in: .whitespaces) == person.text
  }

  /// Asks for confirmation. Anything but yes is a no, including the end of the input.
  private func agrees(_ person: PersonName) -> Bool {
    StandardError.show("Remove \(person.text) and keep the data? [y/n] ")
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

/// A person's name on the command line. The person need not exist.
struct PersonArgument: CheckedArgument {
  let name: PersonName

  init?(argument: String) {
    guard let name = try? PersonName(argument) else { return nil }
    self.name = name
  }

  static func rule(for argument: String) -> String {
    PersonError.invalidName(argument).description
  }
}
