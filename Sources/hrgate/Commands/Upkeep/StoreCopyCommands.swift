import ArgumentParser
import Foundation
import HealthSystem

/// Copies a store.
struct StoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the store as it is at this moment.",
    discussion: .paragraphs(
      """
      A gateway may store meanwhile: the copy holds all that was stored before the command began, and nothing by half. It is one file, readable by
      its owner alone, and gets its name when it is whole; one of that name is replaced.
      """))

  @Argument(help: "The copy.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func run() throws {
    try store.named { try StoreCare.backUp($0, to: file) }
    try StandardOutput.write("backed up: \(try store.file.plain) as \(file.plain)")
  }
}

/// Puts a backup back.
struct StoreRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup in the place of the store.",
    discussion: .paragraphs(
      """
      No program may have the store open: end the gateway first. The old store is kept beside the new one, under a name that is told. Programs and
      destinations notice that the store is another one, and are told of everything once more where that is needed.
      """))

  @Argument(help: "The backup.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func run() throws {
    let kept = try store.named { try StoreCare.restore($0, from: file) }
    try StandardOutput.write("restored: \(file.plain) as \(try store.file.plain)")
    if let kept { try StandardOutput.write("the old store is kept: \(kept.plain)") }
  }
}

/// Makes a store small.
struct StoreVacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum",
    abstract: "Give the room of what was deleted back to the disk.",
    discussion: .paragraphs(
      """
      It takes as much room again as the store has, until it is done, and no gateway may run: it could not store meanwhile.
      """))

  @OptionGroup var store: StoreOptions

  func run() throws {
    let (before, after) = try store.named { try StoreCare.vacuum($0) }
    try StandardOutput.write(
      "\(try store.file.plain): \(ByteCount.text(before)) before, \(ByteCount.text(after)) now")
  }
}

/// Saves what is sound of a damaged store.
struct StoreRecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Save what is sound of a damaged store into a new file.",
    discussion: .paragraphs(
      """
      The damaged store stays as it is. Rows are read one by one, around what cannot be read; those that are none, or refer to what is lost, are
      left out and counted. Of samples that lie packed it says which hours are lost. The new store has a name of its own, so that programs and destinations begin anew with it. To use it, move the damaged
      one away and `hrgate store restore` the new one.
      """))

  @Argument(help: "The new store, which must not be there yet.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func run() throws {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw Failure("\(file) is there already; name a new file")
    }
    let rescue = try store.named { try StoreCare.recover($0, to: file) }
    var lines = ["recovered: \(Counted.text(rescue.kept["sample"] ?? 0, "sample")) in \(file.plain)"]
    for (table, count) in rescue.dropped.sorted(by: <) {
      lines.append("  left out: \(Counted.text(count, "row")) of \(table.plain)")
    }
    for block in rescue.lostBlocks { lines.append("  lost: \(block.plain)") }
    if !rescue.damaged.isEmpty {
      lines.append("  not read to the end: \(rescue.damaged.map(\.plain).joined(separator: ", "))")
    }
    try StandardOutput.write(lines.joined(separator: "\n"))
  }
}
