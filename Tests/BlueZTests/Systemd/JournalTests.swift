import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests entries in journald's native protocol.
@Suite struct JournalTests {
  /// Decodes a message of the protocol according to its documentation.
  static func fields(_ message: [UInt8]) throws -> [String: String] {
    struct BrokenError: Error {}
    var fields: [String: String] = [:]
    var rest = message[...]
    while !rest.isEmpty {
      let end = try #require(rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "=") })
      let name = String(decoding: rest[..<end], as: UTF8.self)
      let value: ArraySlice<UInt8>
      if rest[end] == UInt8(ascii: "=") {
        let stop = try #require(rest[end...].firstIndex(of: UInt8(ascii: "\n")))
        value = rest[(end + 1)..<stop]
        rest = rest[(stop + 1)...]
      } else {
        guard rest.count > end - rest.startIndex + 9 else { throw BrokenError() }
        let begin = end + 9
        let count = rest[(end + 1)..<begin].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard begin + count < rest.endIndex, rest[begin + count] == UInt8(ascii: "\n") else {
          throw BrokenError()
        }
        value = rest[begin..<(begin + count)]
        rest = rest[(begin + count + 1)...]
      }
      #expect(fields.updateValue(String(decoding: value, as: UTF8.self), forKey: name) == nil, "\(name)")
    }
    return fields
  }

  @Test func `an entry arrives in one message, with its fields`() throws {
    let folder = try TemporaryFolder()
    let journald = try #require(DatagramReceiver(at: folder.path("socket")))
    let journal = try #require(Journal(at: journald.place, as: "hrgate"))
    #expect(
      journal.write(JournalEntry("it ends", .warning, fields: ["HRGATE_EVENT": "end", "HRGATE_A": ""])))
    let messages = journald.take()
    #expect(messages.count == 1)
    let fields = try Self.fields(Array((messages.first ?? "").utf8))
    #expect(
      fields == [
        "MESSAGE": "it ends", "PRIORITY": "4", "SYSLOG_IDENTIFIER": "hrgate", "HRGATE_EVENT": "end",
        "HRGATE_A": "",
      ])
  }

  @Test func `a value with line feeds is one value, and starts no field`() throws {
    let hostile = "a\nPRIORITY=0\nMESSAGE\n\u{8}\0\0\0\0\0\0\0=\n"
    let entry = JournalEntry(hostile, .information, fields: ["HRGATE_NAME": hostile, "HRGATE_Z": "z"])
    let fields = try Self.fields(entry.encoded(as: "hrgate"))
    #expect(fields["MESSAGE"] == hostile && fields["HRGATE_NAME"] == hostile && fields["HRGATE_Z"] == "z")
    #expect(fields["PRIORITY"] == "6" && fields.count == 5)
  }

  @Test func `a value that is too long is cut between two characters, with the number of omitted bytes`()
    throws
  {
    for odd in ["", "x", "xy", "xyz"] {
      let long = odd + String(repeating: "💓", count: 5000)
      let value = try #require(
        try Self.fields(JournalEntry("", .error, fields: ["HRGATE_NAME": long]).encoded(as: "h"))[
          "HRGATE_NAME"])
      let kept = value.prefix { $0 != " " }
      #expect(long.hasPrefix(kept) && kept.utf8.count > JournalEntry.greatestValue - 4)
      #expect(kept.utf8.count <= JournalEntry.greatestValue)
      #expect(value.hasSuffix(" … (\(long.utf8.count - kept.utf8.count) more bytes)"))
    }
    let whole = String(repeating: "x", count: JournalEntry.greatestValue)
    #expect(try Self.fields(JournalEntry(whole, .error).encoded(as: "h"))["MESSAGE"] == whole)
  }

  @Test func `an entry with many long values still fits into a message`() throws {
    let folder = try TemporaryFolder()
    let journald = try #require(DatagramReceiver(at: folder.path("socket")))
    let journal = try #require(Journal(at: journald.place, as: "hrgate"))
    let long = String(repeating: "x", count: 1 << 20)
    let fields = Dictionary(uniqueKeysWithValues: (0..<7).map { ("HRGATE_F\($0)", long) })
    #expect(journal.write(JournalEntry(long, .error, fields: fields)))
    #expect(journald.take().count == 1)
  }

  @Test func `a missing journal is reported`() throws {
    let folder = try TemporaryFolder()
    let journal = try #require(Journal(at: folder.path("none"), as: "hrgate"))
    #expect(!journal.isHeard && !journal.write(JournalEntry("lost", .error)))
    // Start journald twice. Each time it has a new socket, and the journal must reconnect to it.
    for _ in 0..<2 {
      let journald = try #require(DatagramReceiver(at: folder.path("none")))
      #expect(journal.isHeard && journal.write(JournalEntry("heard", .error)) && journald.take().count == 1)
      unlink(folder.path("none"))
    }
    #expect(!journal.isHeard)
    #expect(Journal(at: "no path", as: "hrgate") == nil)
  }

  @Test func `only the exact stream in the variable goes to the journal`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("stream", [])
    let file = try #require(FileHandle(forWritingAtPath: path))
    var status = stat()
    #expect(fstat(file.fileDescriptor, &status) == 0)
    func takes(_ stream: String?) -> Bool {
      Journal.takes(
        file.fileDescriptor, environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:])
    }
    #expect(takes("\(status.st_dev):\(status.st_ino)"))
    #expect(!takes("\(status.st_dev):\(status.st_ino + 1)"))
    #expect(!takes("\(status.st_dev + 1):\(status.st_ino)"))
    #expect(!takes(""))
    #expect(!takes(nil))
    #expect(!Journal.takes(-1, environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]))
  }
}
