import ArgumentParser
import Glibc
import HealthDataSync
import HealthSystem

/// Shows the state of each destination.
struct SyncStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show for each sync destination how much was sent, what is still to be sent, and errors.",
    discussion: .paragraphs(
      """
      States of a destination: current (everything is sent), carrying (sending now), waiting (changes are pending, but no program sends them),
      failing (the last attempt failed and is retried automatically), blocked (you have to act; the next line of the output says what to do).
      While the store is locked (hrgate store lock), sync is paused, and this command says so.
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each destination.")
  var json = false

  func run() async throws {
    guard (try? StoreVault.status(store.file))?.isLocked != true else {
      throw CommandError("sync is paused while the store is locked; unlock it with `hrgate store unlock`")
    }
    let destinations = try SyncDestinations(store.openExisting())
    let statuses = try await SyncStatusLine.all(of: destinations)
    if json {
      for status in statuses { try StandardOutput.write(JSONLine.text(status)) }
    } else if statuses.isEmpty {
      StandardError.print(Destinations.none)
    } else {
      let columns = TerminalSize(of: STDOUT_FILENO).columns
      for line in SyncStatusTable.lines(statuses, columns: columns) { try StandardOutput.write(line) }
    }
  }
}

extension SyncStatusLine {
  /// Returns one line per destination, sorted by name.
  static func all(of destinations: SyncDestinations) async throws -> [SyncStatusLine] {
    var lines: [SyncStatusLine] = []
    for status in try await destinations.status() {
      let records =
        status.setAside > 0 ? try? await destinations.setAside(status.name, limit: mostRecords) : nil
      lines.append(SyncStatusLine(status, setAside: records ?? []))
    }
    return lines
  }
}
