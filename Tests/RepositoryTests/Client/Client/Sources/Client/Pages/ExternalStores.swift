import Foundation
import HealthDataSync
import HealthKit

/// The example of health-data-sync's guide: an external object, an external store, and a manager that uploads
/// one type.
enum ExternalStores: Page {
  static func run() async throws {
    // The manager opens the user's own store, and the user was not asked for permission.
    let manager = HDSManagerFactory.manager()
    let externalStore = ExampleExternalStore()
    manager.addObjectTypes(ExampleExternalObject.self, externalStore: externalStore)
    manager.requestPermissions(with: [], { (success, error) in })
    manager.startObserving()
    try expect(manager.allObservers.count == 1, "an observer")
    try expect(manager.allObservers[0].isObserving == false, "no permission was requested")

    try await upload()
  }

  private static func upload() async throws {
    let store = try HKHealthStore.inMemory()
    let manager = HDSManagerFactory.manager(of: store)
    let externalStore = ExampleExternalStore()
    manager.addObjectTypes([ExampleExternalObject.self], externalStore: externalStore)
    let observer = manager.allObservers[0]

    let first = heartRate(60)
    let second = heartRate(70)
    try await store.save([first, second])
    try await execute(observer)
    try expect(externalStore.rows == [first.uuid: 60, second.uuid: 70], "added")

    try await store.delete(first)
    try await store.save(heartRate(80))
    try await execute(observer)
    try expect(externalStore.rows.values.sorted() == [70, 80], "deleted and added")

    // Stopping discards the sync position, so that existing samples are sent again as updates.
    externalStore.rows[second.uuid] = 0
    manager.startObserving()
    manager.stopObserving()
    try await execute(observer)
    try expect(externalStore.rows.values.sorted() == [70, 80], "updated")
  }

  private static func execute(_ observer: HDSQueryObserver) async throws {
    let error: String? = await withCheckedContinuation { continuation in
      observer.execute { success, error in
        continuation.resume(returning: success ? nil : "\(String(describing: error))")
      }
    }
    try expect(error == nil, error ?? "")
  }

  private static func heartRate(_ value: Double) -> HKQuantitySample {
    HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: value),
      start: Date(), end: Date())
  }
}

class ExampleExternalObject: HDSExternalObjectProtocol {
  var uuid: UUID
  var beatsPerMinute: Double?

  init(uuid: UUID) {
    self.uuid = uuid
  }

  static func authorizationTypes() -> [HKObjectType]? {
    [HKObjectType.quantityType(forIdentifier: .heartRate)!]
  }

  static func healthKitObjectType() -> HKObjectType? {
    HKObjectType.quantityType(forIdentifier: .heartRate)
  }

  static func externalObject(object: HKObject, converter: HDSConverterProtocol?) -> HDSExternalObjectProtocol?
  {
    let new = ExampleExternalObject(uuid: object.uuid)
    new.update(with: object)
    return new
  }

  static func externalObject(deletedObject: HKDeletedObject, converter: HDSConverterProtocol?)
    -> HDSExternalObjectProtocol?
  {
    ExampleExternalObject(uuid: deletedObject.uuid)
  }

  func update(with object: HKObject) {
    beatsPerMinute = (object as? HKQuantitySample)?.quantity.doubleValue(for: HKUnit(from: "count/min"))
  }
}

class ExampleExternalStore: HDSExternalStoreProtocol {
  var rows: [UUID: Double] = [:]

  func fetchObjects(
    with objects: [HDSExternalObjectProtocol],
    completion: @escaping ([HDSExternalObjectProtocol]?, Error?) -> Void
  ) {
    completion(objects.filter { rows[$0.uuid] != nil }, nil)
  }

  func add(objects: [HDSExternalObjectProtocol], completion: @escaping (Error?) -> Void) {
    write(objects)
    completion(nil)
  }

  func update(objects: [HDSExternalObjectProtocol], completion: @escaping (Error?) -> Void) {
    write(objects)
    completion(nil)
  }

  func delete(deletedObjects: [HDSExternalObjectProtocol], completion: @escaping (Error?) -> Void) {
    for object in deletedObjects { rows[object.uuid] = nil }
    completion(nil)
  }

  private func write(_ objects: [HDSExternalObjectProtocol]) {
    for case let object as ExampleExternalObject in objects { rows[object.uuid] = object.beatsPerMinute }
  }
}
