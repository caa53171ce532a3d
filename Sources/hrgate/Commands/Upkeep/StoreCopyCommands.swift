import ArgumentParser
import Foundation
import HealthSystem
import PacketLog

/// Backs up a store.
struct StoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the store as it is at this moment.",
    discussion: .paragraphs(
      """
      A gateway may store meanwhile: the copy holds all that was stored before the command began, and nothing by half. It is one file, readable by
      its owner alone, and gets its name when it is whole; one of that name is replaced. Nothing but a file is, and no store: neither one of a
      person, nor one that a program has open. Under sudo the copy is the caller's.
      """))

  @Argument(help: "The copy.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func validate() throws { try FileName.check(file) }

  func run() throws {
    let caller = SudoCaller.current
    try store.named {
      try StoreCare.backUp($0, to: file, sparing: [StoreChoice.owners], for: caller?.fileOwner)
    }
    try StandardOutput.write("backed up: \(try store.file.plain) as \(file.plain)")
    caller?.tellWhatStaysRoots(file)
  }
}

/// Restores a backup.
struct StoreRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup in the place of the store.",
    discussion: .paragraphs(
      """
      No program may have the store open: end the gateway first. The old store is kept beside the new one, under a name that is told. Programs and
      destinations notice that the store is another one, and are told of everything once more where that is needed. A backup of a newer version
      than this program is refused. Root leaves the store to whose the old one was, or to whose the folder is.
      """))

  @Argument(help: "The backup.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func validate() throws { try FileName.check(file) }

  func run() throws {
    let kept = try store.named { try StoreCare.restore($0, from: file) }
    try StandardOutput.write("restored: \(file.plain) as \(try store.file.plain)")
    if let kept { try StandardOutput.write("the old store is kept: \(kept.plain)") }
  }
}

/// Reduces the file size of a store.
struct StoreVacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum",
    abstract: "Give the room of what was deleted back to the disk.",
    discussion: .paragraphs(
      """
      It takes as much room again as the store has, until it is done, and no gateway may run: it could not store meanwhile.

      What deleted samples alone had goes with them: the texts of their metadata, and their devices. The name of a source stays as long as
      programs and destinations are told of deletions whose it was.
      """))

  @OptionGroup var store: StoreOptions

  func run() throws {
    let (before, after) = try store.named { try StoreCare.vacuum($0) }
    try StandardOutput.write(
      "\(try store.file.plain): \(ByteCount.text(before)) before, \(ByteCount.text(after)) now")
  }
}

/// Recovers the readable part of a damaged store.
struct StoreRecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Save what is sound of a damaged store into a new file.",
    discussion: .paragraphs(
      """
      The damaged store stays as it is. Rows are read one by one, around what cannot be read; those that are none, or refer to what is lost, are
      left out and counted. A sample whose metadata or device are lost is saved without them. Where its source is lost, one that is named
      "recovered" stands in, with a bundle identifier that begins with org.hrgate.recovered. Of samples that lie packed it says which hours are
      lost. The new store has a name of its own, so that programs and destinations begin anew with it. To use it,
      `hrgate store restore` it; the damaged one is kept.

      Exit status 1 where not all is saved; what is saved is sound.
      """))

  @Argument(help: "The new store, which must not be there yet.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func validate() throws { try FileName.check(file) }

  func run() throws {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw Failure("\(file) is there already; name a new file")
    }
    let caller = SudoCaller.current
    let rescue = try store.named { try StoreCare.recover($0, to: file, for: caller?.fileOwner) }
    var lines = ["recovered: \(Counted.text(rescue.kept["sample"] ?? 0, "sample")) in \(file.plain)"]
    for (table, count) in rescue.dropped.sorted(by: <) {
      lines.append("  left out: \(Counted.text(count, "row")) of \(table.plain)")
    }
    for (loss, count) in rescue.losses.sorted(by: <) {
      lines.append("  \(Self.text(loss)): \(Counted.text(count, "sample"))")
    }
    for block in rescue.lostBlocks { lines.append("  lost: \(block.plain)") }
    if !rescue.damaged.isEmpty {
      lines.append("  not read to the end: \(rescue.damaged.map(\.plain).joined(separator: ", "))")
    }
    try StandardOutput.write(lines.joined(separator: "\n"))
    try StandardOutput.flush()
    caller?.tellWhatStaysRoots(file)
    if !rescue.isWhole { throw ExitCode.failure }
  }

  private static func text(_ loss: String) -> String {
    switch loss {
    case "metadata": "saved without their metadata"
    case "device": "saved without their device"
    case "source": "saved with a source named recovered in place of theirs"
    case "sourceName": "saved with a source that has lost its name"
    default: "saved without their \(loss)"
    }
  }
}

/// Checks file names in arguments.
enum FileName {
  /// - Throws: `ValidationError` if the name is invalid.
  static func check(_ name: String) throws {
    if name.isEmpty { throw ValidationError("The name of the file is empty; name one.") }
  }
}

extension SudoCaller {
  fileprivate var fileOwner: (user: UInt32, group: UInt32) { (owner.user, owner.group) }

  /// Warns if the file could not be given to the user who called sudo.
  fileprivate func tellWhatStaysRoots(_ file: String) {
    var status = stat()
    guard stat(file, &status) == 0, status.st_uid != owner.user else { return }
    StandardError.tell("\(file.plain) stays root's, for it cannot be given to \(name)")
  }
}
