import Foundation
import HealthKit
import Testing

@testable import AppleHealthExport
@testable import TestSupport

/// Tests samples shorter than a second, which is the resolution of times in an export.
struct DurationTests {
  @Test(arguments: ["HeadphoneAudioExposure", "EnvironmentalAudioExposure", "EnvironmentalSoundReduction"])
  func `a sound level shorter than a second is stored`(type: String) async throws {
    let times = #"startDate="2026-01-01 09:00:00 +0100" endDate="2026-01-01 09:00:00 +0100""#
    let text =
      #"<Record type="HKQuantityTypeIdentifier\#(type)" sourceName="W" unit="dBASPL" \#(times) value="53.6021"/>"#
    let (store, other) = (try emptyStore(), try emptyStore())
    for expected in [1, 0] {
      let outcome = try await importing(export(text), into: store)
      #expect(outcome.stored == expected && outcome.records.problems.isEmpty)
    }
    let sample = try #require(try await samples(in: store).first)
    #expect(sample.endDate.timeIntervalSince(sample.startDate) < 0.01)
    let again = try await importing(try await exported(store), into: other)
    #expect(again.stored == 1 && again.records.problems.isEmpty)
    #expect(try await stories(of: other) == stories(of: store))
  }

  @Test func `no type requires more than a millisecond, and an end before the start is rejected`()
    async throws
  {
    for type in HKSampleType.known where type.isMinimumDurationRestricted {
      #expect(type.minimumAllowedDuration <= 0.001, "\(type)")
    }
    let times = #"startDate="2026-01-01 09:00:01 +0100" endDate="2026-01-01 09:00:00 +0100""#
    let text =
      #"<Record type="HKQuantityTypeIdentifierHeadphoneAudioExposure" sourceName="W" unit="dBASPL" \#(times) value="53"/>"#
    #expect(try await importing(export(text), into: emptyStore()).records.problems == [.rule: 1])
  }
}
