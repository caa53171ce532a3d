import Bluetooth
import Testing

@testable import Ingestion
@testable import TestSupport

/// Tests the encoding of the records that a gateway writes while its store is locked.
struct SealedRecordsTests {
  private static func peripheral(_ number: Int) -> PeripheralIdentity {
    number % 7 == 6
      ? .unidentified(link: UInt32(number))
      : .address(
        BluetoothAddress(
          bits: 0xC0FF_EE00_0000 + UInt64(number), kind: number % 2 == 0 ? .random : .publicDevice))
  }

  private static func time(_ generator: inout SeededGenerator) -> ReceiptTime {
    ReceiptTime(
      microsecondsSince1970: Bool.random(using: &generator)
        ? 1_800_000_000_000_000 + Int64.random(in: -5_000_000...5_000_000, using: &generator)
        : Int64.random(in: .min ... .max, using: &generator))
  }

  private static func value(_ most: Int, _ generator: inout SeededGenerator) -> AttributeValue {
    AttributeValue(
      (0..<Int.random(in: 0...most, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      })
  }

  private static func record(_ straps: Int, _ generator: inout SeededGenerator) -> SealedRecord {
    let peripheral = peripheral(Int.random(in: 0..<straps, using: &generator))
    let setting = ClockSetting(boot: "4f7a8b1e-boot ☂", origin: time(&generator))
    let uuid = Bool.random(using: &generator) ? BluetoothUUID.batteryLevel : BluetoothUUID(high: 7, low: 9)
    switch Int.random(in: 0..<18, using: &generator) {
    case 0: return .began(setting, now: time(&generator), wall: time(&generator))
    case 1: return .continued
    case 2: return .ended(time(&generator))
    case 3: return .event(.named(peripheral, "Polar H10 ☂"))
    case 4: return .event(.connected(peripheral, time(&generator)))
    case 5: return .event(.valueRead(peripheral, uuid, value(512, &generator)))
    case 6: return .event(.described(peripheral))
    case 7: return .event(.disconnected(peripheral, time(&generator)))
    case 8: return .event(.released(peripheral))
    case 9:
      let causes = GapCause.allCases
      return .event(
        .gapBegan(peripheral, causes[Int.random(in: causes.indices, using: &generator)], time(&generator)))
    case 10: return .event(.repeated(peripheral, count: Int.random(in: 0...1_000_000, using: &generator)))
    case 11: return .event(.interrupted(time(&generator)))
    case 12: return .event(.clockSet(setting, time(&generator)))
    default:
      return .event(
        .notified(
          ValueNotification(
            peripheral: peripheral,
            characteristic: Bool.random(using: &generator) ? .heartRateMeasurement : uuid,
            value: value(30, &generator), receiptTime: time(&generator),
            marks: FrameMarks(rawValue: UInt8.random(in: 0...7, using: &generator)))))
    }
  }

  @Test func `records are decoded as they were encoded, from few monitors and from many`() throws {
    var generator = SeededGenerator(seed: 1)
    for straps in [1, 8, 900] {
      for _ in 0..<20 {
        let records = (0..<500).map { _ in Self.record(straps, &generator) }
        let decoded = try SealedRecords.decode(SealedRecords.encode(records))
        #expect(decoded.map { "\($0)" } == records.map { "\($0)" })
      }
    }
    #expect(try SealedRecords.decode(SealedRecords.encode([])).isEmpty)
  }

  @Test func `eight straps that notify once a second take less than 20 bytes for each frame`() {
    var records: [SealedRecord] = []
    for second in 0..<5 {
      for strap in 0..<6 {
        let measurement = HeartRateMeasurement(heartRate: 60, rrTicks: [1024])
        records.append(
          .event(
            .notified(
              ValueNotification(
                peripheral: Self.peripheral(strap), characteristic: .heartRateMeasurement,
                value: measurement.encoded,
                receiptTime: ReceiptTime(
                  microsecondsSince1970: 1_800_000_000_000_000 + Int64(second) * 1_000_000 + Int64(strap)
                    * 90_001)))))
      }
    }
    #expect(SealedRecords.encode(records).count < 20 * records.count)
  }

  @Test func `bytes of another version, cut off or changed are refused or decoded, without a crash`() throws {
    var generator = SeededGenerator(seed: 2)
    let records = (0..<60).map { _ in Self.record(8, &generator) }
    let bytes = SealedRecords.encode(records)
    #expect(throws: SealedRecordsError.unknownVersion(2)) {
      try SealedRecords.decode([2] + bytes.dropFirst())
    }
    #expect(throws: SealedRecordsError.invalid(offset: 0)) { try SealedRecords.decode([]) }
    for count in 1..<bytes.count {
      // Data that is cut between two records decodes to the records before the cut. Any other cut is an
      // error.
      guard let decoded = try? SealedRecords.decode(Array(bytes.prefix(count))) else { continue }
      #expect(decoded.map { "\($0)" } == records.prefix(decoded.count).map { "\($0)" })
    }
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        changed[Int.random(in: 1..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      _ = try? SealedRecords.decode(changed)
    }
  }
}
