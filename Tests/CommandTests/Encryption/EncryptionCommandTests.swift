import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import TestSupport

/// Whether the kernel has keyrings. A container may refuse them.
let hasKeyring = StoreEncryption.hasKeyring
let withoutKeyring: Comment = "the kernel or the container refuses keyrings (add_key, keyctl)"

/// A store with heart rates, and a passphrase in a file.
struct EncryptionStore {
  let folder: TemporaryFolder
  let path: String
  let passphrase: String

  /// - Parameter disk: The disk of the store; nil for the temporary folder's.
  init(_ count: Int = 200, on disk: SmallDisk? = nil) async throws {
    folder = try TemporaryFolder()
    path = disk.map { $0.path + "/s.sqlite" } ?? folder.path("s.sqlite")
    passphrase = try folder.file("passphrase", Array("correct horse\nsecond line\n".utf8))
    chmod(passphrase, 0o600)
    let store = try SystemStore(at: path)
    let provenance = Provenance(
      revision: SourceRevisionRecord(
        source: SourceRecord(bundleIdentifier: "org.example.app", name: "App"), version: nil,
        productType: nil, operatingSystem: "1.0.0"), device: nil)
    try await store.database.save(
      (0..<count).map { place in
        SampleRecord(
          uuid: UUID(), type: "HKQuantityTypeIdentifierHeartRate",
          start: 1_700_000_000_000_000 + Int64(place) * 1_000_000,
          end: 1_700_000_000_000_000 + Int64(place) * 1_000_000, provenance: provenance, metadata: nil,
          content: .quantity(value: Double(50 + place % 100), unit: "count/min"))
      })
  }

  private init(copiedTo folder: TemporaryFolder) {
    self.folder = folder
    path = folder.path("s.sqlite")
    passphrase = folder.path("passphrase")
  }

  /// Copies the store with its log, keys and inbox. The copy has the same key.
  func copy(to copy: TemporaryFolder) throws -> EncryptionStore {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where name.hasPrefix("s.sqlite") && !name.hasSuffix("-shm") || name == "passphrase" {
      try FileManager.default.copyItem(atPath: folder.path(name), toPath: copy.path(name))
    }
    return EncryptionStore(copiedTo: copy)
  }

  /// Keeps the files of a failure.
  /// - Returns: Their folder.
  func keep(named name: String) throws -> String {
    let kept = FileManager.default.temporaryDirectory.appending(path: "hrgate-kept-\(name)-\(UUID())")
    try FileManager.default.copyItem(at: folder.url, to: kept)
    return kept.path
  }

  /// A moment in the run of `encrypt` or `decrypt`.
  enum Moment {
    /// The process was started.
    case started
    /// The converted file exists under a temporary name.
    case converting
    /// The converted file has the name of the store.
    case renamed
  }

  /// Kills a command some time after a moment.
  /// - Returns: Whether it was still running.
  @discardableResult
  func kill(_ arguments: [String], after time: Duration, _ moment: Moment = .started) async throws -> Bool {
    // On a thread of its own: the tasks of many tests wait for each other, and the moment would pass.
    let path = path
    return try await onOwnThread {
      let converted = [".encrypting", ".decrypting"].map { path + $0 }
      func isConverting() -> Bool { converted.contains { access($0, F_OK) == 0 } }
      // A file that an earlier kill has left would be mistaken for the one of this command.
      if moment != .started { for file in converted { unlink(file) } }
      let process = Process()
      process.executableURL = Command.hrgate
      process.arguments = arguments + ["--store", path]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      if moment != .started { while process.isRunning, !isConverting() { usleep(500) } }
      if moment == .renamed { while process.isRunning, isConverting() { usleep(100) } }
      usleep(UInt32(time / .microseconds(1)))
      Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      return process.terminationReason == .uncaughtSignal
    }
  }

  func run(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(arguments + ["--store", path])
  }

  func encrypt() throws -> CommandResult { try run("store", "encrypt", "--passphrase-file", passphrase) }
  func unlock() throws -> CommandResult { try run("store", "unlock", "--passphrase-file", passphrase) }

  func status() throws -> [String: Any] {
    try #require(try run("store", "status", "--json").objects().first)
  }

  func samples() throws -> String {
    let result = try run("samples", "--json")
    #expect(result.status == 0, "\(result.errors)")
    return result.output
  }

  /// Removes the key from the keyring of the user who runs the tests.
  func end() { _ = try? run("store", "lock") }
}

/// Tests the commands for an encrypted store, each in a process of its own.
@Suite(.enabled(if: hasKeyring, withoutKeyring), .timeLimit(.minutes(30))) struct EncryptionCommandTests {
  @Test func `encrypt, lock, unlock, decrypt`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    let samples = try store.samples()
    #expect(try store.status()["encrypted"] as? Bool == false)
    let plain = try store.run("store", "status")
    #expect(plain.output.contains("not encrypted; `hrgate store encrypt` encrypts it"))

    let encrypted = try store.encrypt()
    #expect(encrypted.status == 0 && encrypted.output == "encrypted: \(store.path)\n", "\(encrypted.errors)")
    #expect(try store.samples() == samples)
    var status = try store.status()
    #expect(status["encrypted"] as? Bool == true && status["locked"] as? Bool == false)
    let slots = try #require(status["slots"] as? [[String: Any]])
    #expect(slots.map { $0["kind"] as? String } == ["passphrase"])
    let again = try store.encrypt()
    #expect(again.status == 1 && again.errors.contains("encrypted already"))

    #expect(try store.run("store", "lock").output == "locked: \(store.path)\n")
    #expect(try store.run("store", "lock").output == "locked already: \(store.path)\n")
    status = try store.status()
    #expect(status["encrypted"] as? Bool == true && status["locked"] as? Bool == true)
    for command in [
      ["samples"], ["stats"], ["store", "check"], ["store", "vacuum"],
      ["store", "backup", store.path + "-b"],
      ["monitors"], ["hrv"], ["export", "--format", "csv", "-o", store.path + ".csv"],
    ] {
      let result = try Command.hrgate(command + ["--store", store.path])
      #expect(result.status == 1, "\(command) \(result.output)")
      #expect(
        result.errors.contains("encrypted and locked; unlock it with `hrgate store unlock`"),
        "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
    let sync = try store.run("sync", "status")
    #expect(sync.status == 1 && sync.errors.contains("sync is paused while the store is locked"))
    #expect(try store.unlock().output == "unlocked: \(store.path)\n")
    #expect(try store.samples() == samples)

    #expect(try store.run("store", "lock").status == 0)
    let decrypted = try store.run("store", "decrypt", "--passphrase-file", store.passphrase)
    #expect(decrypted.output == "decrypted: \(store.path)\n", "\(decrypted.errors)")
    #expect(try store.samples() == samples)
    #expect(try store.unlock().errors.contains("is not encrypted"))
  }

  @Test func `a program of HealthKit gets errorDatabaseInaccessible while the store is locked`() async throws
  {
    let store = try await EncryptionStore()
    defer { store.end() }
    #expect(try store.encrypt().status == 0)
    #expect(try store.run("store", "lock").status == 0)
    let error = #expect(throws: HKError.self) { try HKHealthStore(storeAt: store.path) }
    #expect(error?.code == .errorDatabaseInaccessible)
    #expect(error?.localizedDescription.contains("hrgate store unlock") == true)
  }

  /// systemd gives the credentials of a unit with `User=` mode 0440 and an access list.
  @Test(.enabled(if: geteuid() == 0, "only root can make a file of root"))
  func `a credential of the service may be readable for its group, and other files may not`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    let key = try store.folder.file("key", Array(repeating: 7, count: 64))
    let encrypt = ["store", "encrypt", "--store", store.path, "--key-file", key]
    let service = ["CREDENTIALS_DIRECTORY": store.folder.url.path]
    for (mode, environment) in [(0o440, [:]), (0o444, service), (0o460, service)]
      as [(mode_t, [String: String])]
    {
      chmod(key, mode)
      let result = try Command.hrgate(encrypt, environment: environment)
      #expect(result.status == 1 && result.errors.contains("others can read"), "\(result.errors)")
    }
    chmod(key, 0o440)
    let result = try Command.hrgate(encrypt, environment: service)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `wrong and unsuitable secrets are refused, and nothing changes`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    let open = try store.folder.file("open", Array("correct horse".utf8))
    chmod(open, 0o640)
    let empty = try store.folder.file("empty", Array("\nx".utf8))
    let short = try store.folder.file("short", Array("0123456789".utf8))
    for file in [empty, short] { chmod(file, 0o600) }
    let before = FileManager.default.contents(atPath: store.path)
    for (arguments, reason) in [
      (["--passphrase-file", open], "others can read"), (["--passphrase-file", empty], "is empty"),
      (["--passphrase-file", store.path + "-missing"], "No such file"),
      (["--passphrase-file", store.folder.url.path], "neither a file nor a pipe"),
      (["--key-file", short], "too short"),
    ] {
      let result = try Command.hrgate(["store", "encrypt", "--store", store.path] + arguments)
      #expect(result.status == 1 && result.errors.contains(reason), "\(arguments): \(result.errors)")
    }
    let both = try store.run("store", "encrypt", "--passphrase-file", empty, "--key-file", short)
    #expect(both.status == 2)
    #expect(FileManager.default.contents(atPath: store.path) == before)
    #expect(!FileManager.default.fileExists(atPath: store.path + "-keys"))

    #expect(try store.encrypt().status == 0)
    #expect(try store.run("store", "lock").status == 0)
    let wrong = try store.folder.file("wrong", Array("wrong horse".utf8))
    chmod(wrong, 0o600)
    let result = try store.run("store", "unlock", "--passphrase-file", wrong)
    #expect(result.status == 1 && result.errors.contains("this passphrase does not open the store"))
    #expect(try store.status()["locked"] as? Bool == true)
    try FileManager.default.removeItem(atPath: store.path + "-keys")
    let missing = try store.unlock()
    #expect(missing.status == 1 && missing.errors.contains("-keys is missing"))
  }

  @Test func `keys are listed, added and removed`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    #expect(try store.run("store", "keys", "list").errors.contains("is not encrypted"))
    #expect(try store.encrypt().status == 0)
    let file = store.folder.path("health.key")
    let added = try store.run("store", "keys", "add", "--key-file", file, "--name", "stick")
    #expect(added.output == "added: stick\n", "\(added.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == 64)
    let slots = try store.run("store", "keys", "list", "--json").objects()
    #expect(slots.map { $0["name"] as? String } == ["passphrase", "stick"])
    #expect(slots.map { $0["kind"] as? String } == ["passphrase", "key-file"])
    #expect(try store.run("store", "keys", "list").lines.count == 2)
    #expect(try store.run("store", "keys", "remove", "passphrase").output == "removed: passphrase\n")
    #expect(try store.run("store", "keys", "remove", "stick").errors.contains("is the only key"))
    #expect(try store.run("store", "lock").status == 0)
    #expect(try store.unlock().status == 1)
    #expect(try store.run("store", "unlock", "--key-file", file).status == 0)
    #expect(try store.run("store", "lock").status == 0)
    let locked = try store.run("store", "keys", "add", "--key-file", file)
    #expect(locked.status == 1 && locked.errors.contains("unlock it with `hrgate store unlock`"))
  }

  @Test func `a backup opens with the passphrase of the store`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    #expect(try store.encrypt().status == 0)
    let samples = try store.samples()
    let backup = store.folder.path("backup.sqlite")
    #expect(try store.run("store", "backup", backup).status == 0)
    #expect(FileManager.default.fileExists(atPath: backup + "-keys"))
    #expect(try store.run("store", "lock").status == 0)
    let unlocked = try Command.hrgate(
      "store", "unlock", "--store", backup, "--passphrase-file", store.passphrase)
    #expect(unlocked.status == 0, "\(unlocked.errors)")
    #expect(try Command.hrgate("samples", "--json", "--store", backup).output == samples)
    #expect(try store.run("store", "restore", backup).status == 0)
    #expect(try store.samples() == samples)
  }

  /// The command runs without a terminal, and no file with a passphrase is given.
  @Test func `without a terminal the command asks for a file`() async throws {
    let store = try await EncryptionStore()
    guard open("/dev/tty", O_RDWR) < 0 else { return }
    let result = try store.run("store", "encrypt")
    #expect(result.status == 1 && result.errors.contains("give --passphrase-file"))
  }

  @Test func `a program that has the store open keeps it from being encrypted`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    let open = try SystemStore(at: store.path)
    // Read the store's file in the process that has it open. Closing the file must not release SQLite's
    // locks.
    #expect(try !StoreVault.status(store.path).isEncrypted)
    try StoreCare.backUp(store.path, to: store.folder.path("backup.sqlite"))
    let result = try store.encrypt()
    #expect(result.status == 1 && result.errors.contains("has \(store.path) open"), "\(result.errors)")
    #expect(try await open.isEmpty() == false)
    #expect(try store.status()["encrypted"] as? Bool == false)
  }

  @Test func `doctor reports a locked store`() async throws {
    let store = try await EncryptionStore()
    defer { store.end() }
    func findings() throws -> [String] {
      try store.run("doctor", "--json").objects().filter { $0["check"] as? String == "store" }
        .compactMap { $0["finding"] as? String }
    }
    #expect(
      try findings().contains {
        $0.contains("`hrgate store encrypt` encrypts it") || $0.contains("its disk is")
      })
    #expect(try store.encrypt().status == 0)
    #expect(try findings().contains("it is encrypted"))
    #expect(try store.run("store", "lock").status == 0)
    #expect(try findings().contains { $0.hasSuffix("is encrypted and locked") })
  }
}
