public import HealthKit

/// Converts objects of HealthKit to those of an external store.
public protocol HDSConverterProtocol {
  func convert<T>(object: HKObject) throws -> T
  func convert<T>(deletedObject: HKDeletedObject) throws -> T
}
