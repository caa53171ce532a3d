import Bluetooth
import PacketLog

/// Everything that a reader delivers, copied.
struct RecordedLog: Equatable {
  struct Entry: Equatable {
    var record: PacketLogRecord
    var bytes: [UInt8]
  }

  var entries: [Entry] = []
  /// The damage that ended the log, `nil` for a sound end.
  var damage: PacketLogError?

  init(_ reader: any PacketLogReader) {
    var reader = reader
    readAll(&reader)
  }

  /// Opens and reads in one; what cannot be opened is damage before the first record.
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

  /// Without the offsets, which differ from container to container.
  var packets: [LoggedPacket] {
    entries.map { LoggedPacket($0.record.content, at: $0.record.time.microsecondsSince1970, $0.bytes) }
  }

  var contents: [PacketLogRecord.Content] { entries.map(\.record.content) }
}
