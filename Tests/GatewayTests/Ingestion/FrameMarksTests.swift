import Bluetooth
import HealthStorage
import Testing

@testable import Ingestion

@Suite struct FrameMarksTests {
  private static let time = ReceiptTime(microsecondsSince1970: 1_700_000_000_000_000)

  private static let cases: [(marks: FrameMarks, names: [String])] = [
    ([], []), (.mayBeCopy, ["mayBeCopy"]), (.delayed, ["delayed"]),
    ([.mayBeCopy, .delayed], ["mayBeCopy", "delayed"]),
  ]

  @Test func `a mark is counted by its name and is in the sample's metadata`() throws {
    for (marks, names) in Self.cases {
      var session = StrapSession(.address(BluetoothAddress(bits: 0xF00D_BEA7_0101, kind: .random)))
      session.release()
      #expect(session.receive(AttributeValue([0, 72]), at: Self.time, marks: marks) == nil)
      #expect(session.anomalies == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
      var samples = try MonitorSamples(session.description)
      try samples.append(session.ready)
      let measured = samples.take().measured
      #expect(measured.map(\.count) == [1])
      let keys = (measured.first?.kind.metadata?.values ?? [:]).keys
      #expect(Set(keys) == Set(names.map { "org.hrgate.\($0)" }))
    }
  }
}
