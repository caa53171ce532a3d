import ArgumentParser
import Foundation
import HealthSystem
import PacketLog

/// Backs up a store.
struct StoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the health data to a backup file.",
    discussion: .paragraphs(
      """
      hrgate run may continue meanwhile: the backup is a consistent snapshot with everything that was stored before the command began. Only the
      file's owner can read it, and it gets its name when it is complete. A file of that name is replaced only if it is an earlier backup of
      the same store and no program has it open. With sudo the backup belongs to the user who called sudo. The backup of an encrypted store is
      encrypted with the same keys; its key file is beside it, with -keys at the end of the name.
      """))

  @Argument(help: "The backup file to write, such as health-2026-11.sqlite.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func validate() throws { try FileName.check(file) }

  func run() throws {
    let caller = SudoCaller.current
    try store.named {
      try StoreCare.backUp($0, to: file, sparing: [StoreChoice.owners], for: caller?.fileOwner)
    }
    try StandardOutput.write("backed up: \(try store.file.plain) to \(file.plain)")
    caller?.warnOfRootOwner(file)
  }
}

/// Restores a backup.
struct StoreRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Replace the stored health data with that of a backup file.",
    discussion: .paragraphs(
      """
      No program may have the store (database file) open: stop hrgate run first. The old store is kept in the same directory, under a name that
      is printed. Programs and sync destinations notice that the store was replaced and receive all samples again if needed. A backup that a
      newer version of hrgate wrote is not accepted. If root runs this command, the store belongs to the owner of the old store, or of the
      directory.
      """))

  @Argument(help: "The backup file to restore, such as health-2026-11.sqlite.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func validate() throws { try FileName.check(file) }

  func run() throws {
    let kept = try store.named { try StoreCare.restore($0, from: file) }
    try StandardOutput.write("restored: \(file.plain) to \(try store.file.plain)")
    if let kept { try StandardOutput.write("the old store is kept: \(kept.plain)") }
  }
}

/// Reduces the file size of a store.
struct StoreVacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum",
    abstract: "Shrink the database file: return the space of deleted samples to the disk.",
    discussion: .paragraphs(
      """
      Stop hrgate run first. The command needs as much free disk space as the file's size.

      Metadata and devices that only deleted samples used are removed too. The name of a source (app or device) stays as long as
      programs and sync destinations still have to be notified of its deletions.
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
    abstract: "Copy the readable data of a damaged database file to a new file.",
    discussion: .paragraphs(
      """
      The damaged store is not changed. Rows are read one by one, skipping what cannot be read. Invalid rows, and rows that refer to lost data,
      are left out and counted. A sample whose metadata or device is lost is saved without it. A lost source is replaced by one named
      "recovered", with a bundle identifier that begins with org.hrgate.recovered. For compressed samples, the lost hours are listed. The new
      file counts as a new store, so programs and sync destinations receive all samples again. To use it, run `hrgate store restore` with
      it; the damaged file is kept.

      Exit status: 1 if not everything could be saved; what is saved is valid.
      """))

  @Argument(help: "The file to write, such as saved.sqlite. It must not exist yet.", completion: .file())
  var file: String
  @OptionGroup var store: StoreOptions

  func validate() throws { try FileName.check(file) }

  func run() throws {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw CommandError("\(file) already exists; choose a new file")
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
    caller?.warnOfRootOwner(file)
    if !rescue.isWhole { throw ExitCode.failure }
  }

  private static func text(_ loss: String) -> String {
    switch loss {
    case "metadata": "saved without their metadata"
    case "device": "saved without their device"
    case "source": "saved with a source named recovered instead of theirs"
    case "sourceName": "saved with a source whose name is lost"
    default: "saved without their \(loss)"
    }
  }
}

/// Checks file names in arguments.
enum FileName {
  /// - Throws: `ValidationError` if the name is invalid.
  static func check(_ name: String) throws {
    if name.isEmpty {
      throw ValidationError("The file name is empty. Give a name such as health-2026-11.sqlite.")
    }
  }
}

extension SudoCaller {
  fileprivate var fileOwner: (user: UInt32, group: UInt32) { (owner.user, owner.group) }

  /// Warns if the file could not be given to the user who called sudo.
  fileprivate func warnOfRootOwner(_ file: String) {
    var status = stat()
    guard stat(file, &status) == 0, status.st_uid != owner.user else { return }
    StandardError.print("\(file.plain) belongs to root; its owner cannot be changed to \(name)")
  }
}
