import Bluetooth
import Foundation
import Testing

@testable import Ingestion

@Suite struct SampleIdentityTests {
  private let time = ReceiptTime(microsecondsSince1970: 1_700_000_000_123_456)

  private func uuid(
    _ kind: SampleIdentity.Kind = .heartRateFrame, _ monitor: String = "F0:0D:BE:A7:07:01",
    _ time: ReceiptTime? = nil,
    _ content: [UInt8] = [0x06, 72]
  ) -> UUID {
    var identity = SampleIdentity(monitor: monitor)
    return identity.uuid(kind, at: time ?? self.time, content.span.bytes)
  }

  @Test func `an identity equals the one computed independently from its documentation`() {
    // Computed in Python: hashlib.sha256 of the documented bytes. These must never change, because existing
    // stores contain them.
    #expect(uuid().uuidString == "018BCFE5-687B-8923-B7BA-2D0E64834724")
    #expect(uuid(.beats, content: [800, 810]).uuidString == "018BCFE5-687B-873C-80F1-23F486CBB514")
  }

  private func uuid(_ kind: SampleIdentity.Kind, content intervals: [UInt16]) -> UUID {
    uuid(
      kind, "F0:0D:BE:A7:07:01", nil, intervals.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
  }

  @Test func `equal heart rates at one time differ by their number`() {
    var identity = SampleIdentity(monitor: "F0:0D:BE:A7:07:01")
    let later = ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 + 1)
    let rates: [(UInt16, ReceiptTime)] = [
      (72, time), (72, time), (73, time), (72, time), (73, time), (72, later), (73, later),
    ]
    #expect(rates.map { identity.occurrence(ofHeartRate: $0, at: $1) } == [0, 1, 0, 2, 1, 0, 0])
  }

  @Test func `kind, monitor, time and content each change the identity`() {
    let later = ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 + 1)
    let all = [
      uuid(), uuid(.energy), uuid(.heartRateFrame, "F0:0D:BE:A7:07:02"),
      uuid(.heartRateFrame, "F0:0D:BE:A7:07:01", later),
      uuid(.heartRateFrame, "F0:0D:BE:A7:07:01", nil, [0x06, 73]),
    ]
    #expect(Set(all).count == all.count)
    #expect(uuid() == uuid())
  }

  @Test func `equal frames at one time are separate measurements with stable identities`() {
    func identities() -> [UUID] {
      var identity = SampleIdentity(monitor: "m")
      return [[0x06, 60], [0x06, 61], [0x06, 60], [0x06, 60], [0x06, 61]].map { (content: [UInt8]) in
        identity.uuid(.heartRateFrame, at: time, content.span.bytes)
      }
    }
    #expect(Set(identities()).count == 5)
    #expect(identities() == identities())
    var identity = SampleIdentity(monitor: "m")
    let content: [UInt8] = [0x06, 60]
    let first = identity.uuid(.heartRateFrame, at: time, content.span.bytes)
    let later = ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 + 1)
    _ = identity.uuid(.heartRateFrame, at: later, content.span.bytes)
    #expect(identity.uuid(.heartRateFrame, at: time, content.span.bytes) == first)
  }

  @Test func `a sample of another kind and time in between changes nothing`() {
    var identity = SampleIdentity(monitor: "m")
    let content: [UInt8] = [0x0E, 72, 2, 0]
    let first = identity.uuid(.heartRateFrame, at: time, content.span.bytes)
    // In between, create a UUID for a heartbeat series. It is derived from the start of the series, which is
    // earlier than the frame.
    let earlier = ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 - 9_000_000)
    _ = identity.uuid(.beats, at: earlier, content.span.bytes)
    let second = identity.uuid(.heartRateFrame, at: time, content.span.bytes)
    _ = identity.uuid(.energy, at: time, content.span.bytes)
    let third = identity.uuid(.heartRateFrame, at: time, content.span.bytes)
    #expect(Set([first, second, third]).count == 3)
  }

  @Test func `identities sort by the time of receipt`() {
    let uuids = (0..<100).map {
      uuid(.heartRateFrame, "m", ReceiptTime(microsecondsSince1970: $0 * 1000)).uuidString
    }
    #expect(uuids == uuids.sorted())
  }
}
