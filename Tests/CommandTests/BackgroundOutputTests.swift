import Foundation
import Gateway
import Glibc
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

/// A pipe whose output the test reads when it wants to, so that the writer can block.
private struct UnreadPipe {
  let reader: Int32
  let writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    (reader, writer) = (ends[0], ends[1])
    signal(SIGPIPE, ignoreSignal)
  }

  /// Fills the pipe until it accepts no more bytes, and returns their number.
  func fill() throws -> Int {
    let flags = fcntl(writer, F_GETFL)
    _ = fcntl(writer, F_SETFL, flags | O_NONBLOCK)
    var filled = 0
    for size in [4096, 1] {
      let bytes = [UInt8](repeating: UInt8(ascii: "#"), count: size)
      while case let count = write(writer, bytes, size), count > 0 { filled += count }
    }
    _ = fcntl(writer, F_SETFL, flags)
    return filled
  }

  func read(_ count: Int) -> String {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var chunk = [UInt8](repeating: 0, count: count - bytes.count)
      let got = Glibc.read(reader, &chunk, chunk.count)
      guard got > 0 else { break }
      bytes += chunk[..<got]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func line() -> String {
    var text = ""
    while case let byte = read(1), !byte.isEmpty, byte != "\n" { text += byte }
    return text
  }

  func closeAll() { for end in [reader, writer] { close(end) } }
}

@Suite(.timeLimit(.minutes(30))) struct BackgroundOutputTests {
  @Test func `lines that are not read block nothing, and dropped lines are counted`() throws {
    let pipe = try UnreadPipe()
    defer { pipe.closeAll() }
    let filled = try pipe.fill()
    let lines = EventLines(to: pipe.writer, capacity: 5) { "\($0) missing" }
    for number in 0..<100 { lines.write("line \(number)") }
    // Until the pipe is read, up to two lines are being written, and five are pending. The others are
    // dropped.
    #expect(throws: CommandError.self) { try lines.finish(within: .milliseconds(20)) }
    _ = pipe.read(filled)
    var printed: [String] = []
    while printed.last != "line 99" { printed.append(pipe.line()) }
    #expect(printed.suffix(5) == (95...99).map { "line \($0)" })
    let missing = printed.compactMap { $0.hasSuffix("missing") ? Int($0.split(separator: " ")[0]) : nil }
    #expect(missing.reduce(0, +) + printed.count - missing.count == 100)
    #expect(!missing.isEmpty)
    try lines.finish(within: .seconds(1500))
  }

  @Test func `lines arrive in order, and a closed pipe is reported only at the end`() throws {
    let pipe = try UnreadPipe()
    let lines = EventLines(to: pipe.writer) { "\($0) missing" }
    for number in 0..<500 { lines.write("line \(number)") }
    for number in 0..<500 { #expect(pipe.line() == "line \(number)") }
    try lines.finish(within: .seconds(1500))
    close(pipe.reader)
    lines.write("after the reader closed")
    #expect(throws: ClosedPipeError.self) { try lines.finish(within: .seconds(1500)) }
    lines.write("passed over")
    close(pipe.writer)
  }

  @Test func `a stopped terminal gets only the newest table when it continues`() throws {
    let pipe = try UnreadPipe()
    defer { pipe.closeAll() }
    let filled = try pipe.fill()
    let table = LiveTable(isVisible: true, to: pipe.writer)
    for number in 0..<100 { table.show(["row \(number)", "second"]) }
    _ = pipe.read(filled)
    var text = ""
    while !text.contains("row 99") { text += pipe.line() + "\n" }
    #expect(text.components(separatedBy: "row ").count <= 3)
    try table.end(within: .seconds(1500))
  }

  @Test func `a run whose output is not read ends on SIGTERM`() async throws {
    let pipe = try UnreadPipe()
    defer { pipe.closeAll() }
    _ = try pipe.fill()
    let folder = try TemporaryFolder()
    let errors = folder.path("errors")
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--json", "--store", folder.path("s.sqlite")]
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
    process.standardOutput = FileHandle(fileDescriptor: pipe.writer)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    // The gateway is running once it has printed the notice that no monitor is enrolled.
    while try String(contentsOfFile: errors, encoding: .utf8).isEmpty, process.isRunning {
      try await Task.sleep(for: .milliseconds(10))
    }
    let registry = try MonitorRegistry(at: .file(folder.path("s.sqlite")))
    #expect(registry.hasGateway)
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    #expect(!registry.hasGateway)
    #expect(
      try String(contentsOfFile: errors, encoding: .utf8).contains("reader of standard output is too slow"))
  }
}
