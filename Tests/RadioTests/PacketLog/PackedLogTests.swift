import Foundation
import Testing

@testable import PacketLog
@testable import TestSupport

/// Tests logs that the system's own programs have compressed.
struct PackedLogTests {
  private typealias Packer = (compression: Compression, program: String, arguments: [String])

  private static let packers: [Packer] = {
    let all: [Packer] = [
      (.gzip, "gzip", ["-c"]), (.bzip2, "bzip2", ["-c"]), (.xz, "xz", ["-c"]), (.zstd, "zstd", ["-qc"]),
      (.lz4, "lz4", ["-qc"]),
    ]
    return all.filter { find($0.program) != nil }
  }()

  private static func find(_ program: String) -> URL? {
    ["/usr/bin", "/bin"].map { URL(filePath: $0).appending(path: program) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  private static func run(_ program: String, _ arguments: [String], to output: String? = nil) throws {
    let executable: URL = try #require(find(program))
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let output {
      _ = FileManager.default.createFile(atPath: output, contents: nil)
      process.standardOutput = FileHandle(forWritingAtPath: output)
    }
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  private let folder: TemporaryFolder
  private let log: String
  private let original: RecordedLog

  init() throws {
    folder = try TemporaryFolder()
    log = Recordings.path("bonded-60s.btsnoop")
    original = RecordedLog(try PacketLogFile.open(path: log))
  }

  @Test(arguments: packers.indices)
  func `a compressed log is read like the original`(_ index: Int) throws {
    let (_, program, arguments) = Self.packers[index]
    let packed = folder.path("packed")
    try Self.run(program, arguments + [log], to: packed)
    let reader = try PacketLogFile.open(path: packed)
    #expect(reader.format == .btsnoopMonitor || reader.format == .btsnoopH4)
    #expect(RecordedLog(reader) == original)
  }

  @Test(arguments: packers.indices)
  func `a truncated compressed log gives its valid beginning and an error`(_ index: Int) throws {
    let (compression, program, arguments) = Self.packers[index]
    let packed = folder.path("packed")
    try Self.run(program, arguments + [log], to: packed)
    let bytes = Array(try Data(contentsOf: URL(filePath: packed)))
    let cut = try folder.file("cut", Array(bytes.dropLast(6)))
    let expected = PacketLogError.Code.compressed(compression, .damaged)
    do {
      let entries = RecordedLog(try PacketLogFile.open(path: cut))
      #expect(entries.damage?.code == expected)
      #expect(entries.entries == Array(original.entries.prefix(entries.entries.count)))
    } catch {
      // Some formats deliver no data before a block is complete, so opening the log already fails.
      #expect(error.code == expected)
    }
  }

  @Test func `data that expands to an invalid log is abandoned at its first bytes`() throws {
    guard let (compression, program, arguments) = Self.packers.first else { return }
    let zeros = folder.path("zeros")
    try #require(FileManager.default.createFile(atPath: zeros, contents: nil))
    try FileHandle(forWritingTo: URL(filePath: zeros)).truncate(atOffset: 64 << 20)
    let packed = folder.path("packed")
    try Self.run(program, arguments + [zeros], to: packed)
    #expect(throws: PacketLogError(.notAPacketLog, offset: 0)) { _ = try PacketLogFile.open(path: packed) }
    #expect(compression == .gzip)
  }

  @Test func `for a compressed log in a pipe or in memory, the error names a program that unpacks it`() throws
  {
    let gzip: [UInt8] = [0x1F, 0x8B, 0x08] + [UInt8](repeating: 0, count: 40)
    let damage = RecordedLog(gzip).damage
    #expect(damage?.code == .compressed(.gzip, .noFile))
    #expect(damage?.description.hasSuffix("gzip -dc | hrgate replay -") == true)
    #expect(RecordedLog([0x50, 0x4B, 3, 4] + gzip).damage?.description.contains("unpack it first") == true)
  }

  @Test(.enabled(if: find("zip") != nil, "zip is not installed"))
  func `the log in an archive is found by its name`() throws {
    let inside = folder.path("FS/data/misc/bluetooth/logs")
    try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
    let file = inside + "/btsnoop_hci[1].log"
    try FileManager.default.copyItem(atPath: log, toPath: file)
    let text = try folder.file("bugreport-phone.txt", bugReport(btsnoozLog(SamplePackets.allTypes)))
    let archive = folder.path("bug [1]*?.zip")
    try Self.run("zip", ["-q", archive, text, file])
    #expect(RecordedLog(try PacketLogFile.open(path: archive)) == original)

    let textOnly = folder.path("text.zip")
    try Self.run("zip", ["-qj", textOnly, text])
    #expect(RecordedLog(try PacketLogFile.open(path: textOnly)).packets == SamplePackets.allTypes)

    let two = folder.path("two.zip")
    try Self.run("zip", ["-qj", two, file, Recordings.path("open-60s.btsnoop")])
    #expect(
      throws: PacketLogError(
        .compressed(.zip, .severalInside(["btsnoop_hci[1].log", "open-60s.btsnoop"])), offset: 0)
    ) { _ = try PacketLogFile.open(path: two) }
    #expect(PacketLogFile.members(ofArchiveAt: two) == ["btsnoop_hci[1].log", "open-60s.btsnoop"])
    #expect(
      RecordedLog(try PacketLogFile.open(path: two, member: "btsnoop_hci[1].log")) == original)
    #expect(PacketLogFile.members(ofArchiveAt: log).isEmpty)
    #expect(PacketLogFile.members(ofArchiveAt: folder.path("missing")).isEmpty)

    let none = folder.path("none.zip")
    try Self.run("zip", ["-qj", none, try folder.file("letter.doc", [1, 2, 3])])
    #expect(throws: PacketLogError(.compressed(.zip, .noLogInside), offset: 0)) {
      _ = try PacketLogFile.open(path: none)
    }
  }

  @Test func `names determine which file of an archive is the log`() {
    #expect(ArchiveMember.choose(from: []) == .none)
    #expect(ArchiveMember.choose(from: ["a/", "a/x.txt", "-x.pcap"]) == .none)
    #expect(ArchiveMember.choose(from: ["bugreport-x.txt", "FS/a/bugreport.txt"]) == .one("bugreport-x.txt"))
    #expect(
      ArchiveMember.choose(from: ["bugreport-x.txt", "FS/logs/BTSNOOP_HCI.log"])
        == .one("FS/logs/BTSNOOP_HCI.log"))
    #expect(
      ArchiveMember.choose(from: ["a.pcap", "b/btsnoop_hci.log.last"])
        == .several(["a.pcap", "b/btsnoop_hci.log.last"]))
    #expect(ArchiveMember.choose(from: ["a/btsnooz_hci.log", "dumpstate.txt"]) == .one("a/btsnooz_hci.log"))
    let many = (0..<9).map { "\($0).pklg" }
    #expect(ArchiveMember.choose(from: many) == .several(many.prefix(5) + ["and 4 more"]))
    // Terminal control characters in names are not printed.
    let hostile = PacketLogError(.compressed(.zip, .severalInside(["a\u{1B}[2J.pcap"])), offset: 0)
      .description
    #expect(hostile.contains("(a?[2J.pcap)"))
  }

  @Test(.enabled(if: find("zip") != nil, "zip is not installed"))
  func `a log that is protected by a password is reported`() throws {
    let archive = folder.path("secret.zip")
    try Self.run("zip", ["-qj", "-P", "secret", archive, log])
    let error = #expect(throws: PacketLogError.self) { _ = try PacketLogFile.open(path: archive) }
    #expect(error?.code == .compressed(.zip, .encrypted))
    #expect(error?.description.contains("password") == true)
  }
}
