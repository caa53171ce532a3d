import Bluetooth
import PacketLog

/// All records that a reader returned, and the error that ended the log.
struct RecordedLog: Equatable {
  struct Entry: Equatable {
    var record: PacketLogRecord
    var bytes: [UInt8]
  }

  var entries: [Entry] = []
  /// The error that ended the log; `nil` if the log was read to its end.
  var damage: PacketLogError?

  init(_ reader: any PacketLogReader) {
    var reader = reader
    readAll(&reader)
  }

  /// Opens and reads a log. If the log cannot be opened, it has no entries, and the error is in `damage`.
  init(_ bytes: [UInt8]) {
    do {
      var reader = try PacketLogFile.open(bytes: bytes)
      readAll(&reader)
    } catch {
      damage = error
    }
  }

  private mutating func readAll(_ reader: inout any PacketLogReader) {
    do {
      while try reader.readRecord({ record, bytes in
        entries.append(Entry(record: record, bytes: bytes.withUnsafeBytes(Array.init)))
      }) {}
    } catch {
      damage = error
    }
  }

  /// The packets without their offsets in the log, which differ between containers.
  var packets: [LoggedPacket] {
    entries.map { LoggedPacket($0.record.content, at: $0.record.time.microsecondsSince1970, $0.bytes) }
  }

  var contents: [PacketLogRecord.Content] { entries.map(\.record.content) }
}
