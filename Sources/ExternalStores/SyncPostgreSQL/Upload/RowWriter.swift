import Foundation
import HealthDataSync
import HealthKit

/// Encodes samples in the binary format of COPY ("COPY", section "Binary Format" in the PostgreSQL manual).
/// Each field has the format that its type's `…recv` function reads.
struct RowWriter {
  private(set) var bytes: [UInt8] = []
  let sender: Sender
  /// Whether each row ends with the column `supersedes`, which only the staging table has.
  let isForStage: Bool

  init(sender: Sender, isForStage: Bool) {
    self.sender = sender
    self.isForStage = isForStage
    bytes.reserveCapacity(1 << 17)
  }

  static let columns = #"uuid, "start", "end", value, origin, gateway, person, metadata, series"#
  static let stageColumns = columns + ", supersedes"

  mutating func begin() {
    bytes += "PGCOPY\n".utf8
    bytes += [0xFF, 0x0D, 0x0A, 0]
    append(Int32(0))
    append(Int32(0))
  }

  mutating func end() {
    append(Int16(-1))
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ placed: PreparedRecord) {
    append(Int16(isForStage ? 10 : 9))
    append(Int32(16))
    withUnsafeBytes(of: placed.record.sample.uuid.uuid) { bytes += $0 }
    field(ServerTime.of(unix: placed.start))
    if placed.end == placed.start { null() } else { field(ServerTime.of(unix: placed.end)) }
    switch placed.record.sample {
    case let sample as HKQuantitySample: field(sample.quantity.value.bitPattern)
    case let sample as HKCategorySample: field(Double(sample.value).bitPattern)
    default: null()
    }
    field(placed.placement.origin)
    field(sender.gateway)
    field(sender.person)
    if let metadata = placed.placement.metadata {
      append(Int32(metadata.count + 1))
      bytes.append(1)
      bytes += metadata
    } else {
      null()
    }
    append(placed.record.series, from: placed.record.sample.startDate)
    guard isForStage else { return }
    append(Int32(1))
    bytes.append(placed.record.supersedes ? 1 : 0)
  }

  // MARK: - Series

  /// The object IDs of types in `pg_type`. They are the same on all servers.
  private enum TypeNumber {
    static let bool: Int32 = 16
    static let float8: Int32 = 701
    static let bools: Int32 = 1000
    static let float8s: Int32 = 1022
  }

  private mutating func append(_ series: ExternalRecord.Series, from start: Date) {
    switch series {
    case .none: null()
    case .heartbeats(let beats):
      composite { writer in
        writer.numbers(beats.count) { beats[$0].timeSinceStart }
        writer.flags(beats.count) { beats[$0].precededByGap }
        writer.missing(TypeNumber.float8s)
        writer.missing(TypeNumber.float8s)
      }
    case .quantities(let quantities):
      composite { writer in
        writer.numbers(quantities.count) { Self.seconds(from: start, to: quantities[$0].interval.start) }
        writer.missing(TypeNumber.bools)
        writer.numbers(quantities.count) { Self.seconds(from: start, to: quantities[$0].interval.end) }
        writer.numbers(quantities.count) { quantities[$0].value }
      }
    }
  }

  /// Returns the seconds between two times, each rounded to microseconds as in the database. Adding them to
  /// the stored start yields exactly the stored time.
  private static func seconds(from start: Date, to time: Date) -> Double {
    Double(Microseconds.clamped(time) - Microseconds.clamped(start)) / 1e6
  }

  private mutating func composite(_ fields: (inout RowWriter) -> Void) {
    let place = bytes.count
    append(Int32(0))
    append(Int32(4))
    fields(&self)
    let length = Int32(bytes.count - place - 4)
    withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
  }

  private mutating func missing(_ type: Int32) {
    append(type)
    null()
  }

  private mutating func numbers(_ count: Int, _ value: (Int) -> Double) {
    array(TypeNumber.float8s, of: TypeNumber.float8, count, size: 8) { $0.field(value($1).bitPattern) }
  }

  private mutating func flags(_ count: Int, _ value: (Int) -> Bool) {
    array(TypeNumber.bools, of: TypeNumber.bool, count, size: 1) {
      $0.append(Int32(1))
      $0.bytes.append(value($1) ? 1 : 0)
    }
  }

  private mutating func array(
    _ type: Int32, of element: Int32, _ count: Int, size: Int, _ write: (inout RowWriter, Int) -> Void
  ) {
    append(type)
    // An array consists of the number of dimensions, whether there are NULLs, the element type, and the
    // length and lower bound of the dimension.
    append(Int32(count == 0 ? 12 : 20 + count * (4 + size)))
    append(Int32(count == 0 ? 0 : 1))
    append(Int32(0))
    append(element)
    guard count > 0 else { return }
    append(Int32(count))
    append(Int32(1))
    for index in 0..<count { write(&self, index) }
  }

  // MARK: - Fields

  private mutating func null() {
    append(Int32(-1))
  }

  private mutating func field(_ value: some FixedWidthInteger) {
    append(Int32(value.bitWidth / 8))
    append(value)
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }
}

/// The IDs, in `hrgate.person` and `hrgate.gateway`, of the person and the gateway whose data is sent.
struct Sender {
  let person: Int32
  let gateway: Int32
}
