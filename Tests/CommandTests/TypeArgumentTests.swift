import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import hrgate

@Suite struct TypeArgumentTests {
  @Test func `every type has a short name of its own that reads back`() throws {
    let names = TypeArgument.all.map(TypeArgument.shortName)
    #expect(Set(names).count == names.count)
    for (type, name) in zip(TypeArgument.all, names) {
      #expect(TypeArgument(argument: name)?.type == type, "\(name)")
      #expect(TypeArgument(argument: type.identifier)?.type == type)
    }
    #expect(TypeArgument(argument: "heart") == nil)
  }

  @Test(arguments: [
    ("heartRate", "HKQuantityTypeIdentifierHeartRate"), ("vo2Max", "HKQuantityTypeIdentifierVO2Max"),
    ("heartbeatSeries", "HKDataTypeIdentifierHeartbeatSeries"), ("workout", "HKWorkoutTypeIdentifier"),
    ("sleepAnalysis", "HKCategoryTypeIdentifierSleepAnalysis"), ("stateOfMind", "HKDataTypeStateOfMind"),
    ("bloodPressure", "HKCorrelationTypeIdentifierBloodPressure"),
  ])
  func `short names are what one would type`(name: String, identifier: String) {
    #expect(TypeArgument(argument: name)?.type.identifier == identifier)
  }

  @Test func `a category is printed with its number`() throws {
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 5, start: Date(timeIntervalSince1970: 0),
      end: Date(timeIntervalSince1970: 60))
    let json = try JSONEncoder().encode(SampleLine(sleep))
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(object["value"] as? Double == 5)
    #expect(object["type"] as? String == "HKCategoryTypeIdentifierSleepAnalysis")
  }
}
