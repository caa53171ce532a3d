import Foundation
import HealthDataSync
import HealthKit
import Synchronization

/// An external object as programs for Apple's health-data-sync define it.
final class Document: HDSExternalObjectProtocol {
  var uuid: UUID
  var isUpdated = false
  let converter: (any HDSConverterProtocol)?

  init(_ uuid: UUID, _ converter: (any HDSConverterProtocol)?) {
    self.uuid = uuid
    self.converter = converter
  }

  static func authorizationTypes() -> [HKObjectType]? { [pulse] }
  static func healthKitObjectType() -> HKObjectType? { pulse }

  static func externalObject(object: HKObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?
  { Document(object.uuid, converter) }

  static func externalObject(deletedObject: HKDeletedObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?
  { Document(deletedObject.uuid, converter) }

  func update(with object: HKObject) { isUpdated = true }
}

/// An external object of another type.
final class EnergyDocument: HDSExternalObjectProtocol {
  var uuid: UUID

  init(_ uuid: UUID) {
    self.uuid = uuid
  }

  static func authorizationTypes() -> [HKObjectType]? { [energy] }
  static func healthKitObjectType() -> HKObjectType? { energy }

  static func externalObject(object: HKObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?
  { EnergyDocument(object.uuid) }

  static func externalObject(deletedObject: HKDeletedObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?
  { EnergyDocument(deletedObject.uuid) }

  func update(with object: HKObject) {}
}

/// A health store that records calls, can be unavailable, and can hold back its queries.
final class ScriptedProxy: HDSStoreProxyProtocol, @unchecked Sendable {
  private struct State {
    var isAvailable = true
    var holdsQueries = false
    var queries: [HKQuery] = []
    var stopped: [HKQuery] = []
    var disabled: [HKObjectType] = []
  }

  private let proxy: HDSStoreProxy
  private let lock = NSLock()
  private var state = State()

  init(store: HKHealthStore) {
    proxy = HDSStoreProxy(store: store)
  }

  private func access<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

  var isAvailable: Bool {
    get { access(\.isAvailable) }
    set { access { $0.isAvailable = newValue } }
  }
  var holdsQueries: Bool {
    get { access(\.holdsQueries) }
    set { access { $0.holdsQueries = newValue } }
  }
  var queries: [HKQuery] { access(\.queries) }
  var stopped: [HKQuery] { access(\.stopped) }
  var disabled: [HKObjectType] { access(\.disabled) }

  /// Executes the queries that were held back, in reverse order.
  func release() {
    for query in queries.reversed() { proxy.execute(query) }
  }

  func isHealthDataAvailable() -> Bool { isAvailable }
  func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus { .sharingAuthorized }

  func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) { completion(true, nil) }

  func execute(_ query: HKQuery) {
    access { $0.queries.append(query) }
    if !holdsQueries { proxy.execute(query) }
  }

  func stop(_ query: HKQuery) {
    access { $0.stopped.append(query) }
    proxy.stop(query)
  }

  func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency,
    withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) { completion(true, nil) }

  func disableBackgroundDelivery(
    for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    access { $0.disabled.append(type) }
    completion(true, nil)
  }

  func disableAllBackgroundDelivery(completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
    completion(true, nil)
  }

  func preferredUnits(
    for quantityTypes: Set<HKQuantityType>,
    completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
  ) { completion([:], nil) }
}

/// An external store that records its calls in order.
final class RecordingStore: HDSExternalStoreProtocol, @unchecked Sendable {
  struct TestError: Error {}

  private struct State {
    var calls: [String] = []
    var documents: [UUID: Document] = [:]
    var failing: String?
    var answersTwice = false
  }

  private let lock = NSLock()
  private var state = State()

  private func access<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

  var calls: [String] {
    access { state in
      defer { state.calls = [] }
      return state.calls
    }
  }
  var uuids: Set<UUID> { access { Set($0.documents.keys) } }
  var documents: [Document] { access { Array($0.documents.values) } }
  /// Makes all calls with this name fail.
  func fail(_ call: String?) { access { $0.failing = call } }
  func answerTwice() { access { $0.answersTwice = true } }

  /// Records the call, and returns whether it must fail.
  private func note(_ call: String, _ objects: [any HDSExternalObjectProtocol]) -> Bool {
    access { state in
      state.calls.append("\(call) \(objects.count)")
      return state.failing == call
    }
  }

  private func answer(_ completion: (Bool) -> Void) {
    completion(true)
    if access(\.answersTwice) { completion(false) }
  }

  func fetchObjects(
    with objects: [any HDSExternalObjectProtocol],
    completion: @escaping ([any HDSExternalObjectProtocol]?, (any Error)?) -> Void
  ) {
    guard !note("fetch", objects) else { return completion(nil, TestError()) }
    answer { isFirst in
      completion(
        access { state in objects.compactMap { state.documents[$0.uuid] } }, isFirst ? nil : TestError())
    }
  }

  func add(objects: [any HDSExternalObjectProtocol], completion: @escaping ((any Error)?) -> Void) {
    guard !note("add", objects) else { return completion(TestError()) }
    access { state in for object in objects { state.documents[object.uuid] = object as? Document } }
    answer { completion($0 ? nil : TestError()) }
  }

  func update(objects: [any HDSExternalObjectProtocol], completion: @escaping ((any Error)?) -> Void) {
    guard !note("update", objects) else { return completion(TestError()) }
    answer { completion($0 ? nil : TestError()) }
  }

  func delete(
    deletedObjects: [any HDSExternalObjectProtocol], completion: @escaping ((any Error)?) -> Void
  ) {
    guard !note("delete", deletedObjects) else { return completion(TestError()) }
    access { state in for object in deletedObjects { state.documents[object.uuid] = nil } }
    answer { completion($0 ? nil : TestError()) }
  }
}

/// A delegate that records its calls.
final class Listener: HDSQueryObserverDelegate, Sendable {
  private let state = Mutex((size: Int?.none, mayBegin: true, finished: [Bool]()))
  private let rounds: AsyncStream<Bool>
  private let round: AsyncStream<Bool>.Continuation

  init(batchSize: Int? = nil, mayBegin: Bool = true) {
    (rounds, round) = AsyncStream.makeStream(of: Bool.self)
    state.withLock { $0 = (batchSize, mayBegin, []) }
  }

  /// Whether each finished synchronization succeeded.
  var finished: [Bool] { state.withLock(\.finished) }

  /// Waits for a synchronization with this result.
  func round(succeeds: Bool) async {
    for await isDone in rounds where isDone == succeeds { return }
  }

  func batchSize(for observer: HDSQueryObserver) -> Int? { state.withLock(\.size) }

  func shouldExecute(for observer: HDSQueryObserver, completion: @escaping (Bool) -> Void) {
    completion(state.withLock(\.mayBegin))
  }

  func didFinishExecution(for observer: HDSQueryObserver, error: (any Error)?) {
    state.withLock { $0.finished.append(error == nil) }
    round.yield(error == nil)
  }
}
