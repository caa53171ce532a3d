import HealthKit
import Testing

/// Tests all operations of the store that have completion handlers: their results, and the queue on which the
/// handlers are called.
@Suite(.timeLimit(.minutes(30))) @MainActor struct CompletionHandlerTests {
  /// The arguments of a handler, with the error's code.
  private struct Answer: Equatable, Sendable {
    var succeeded: Bool
    var code: HKError.Code?
    var onMainQueue: Bool

    static let success = Answer(succeeded: true, code: nil, onMainQueue: false)
    static func failure(_ code: HKError.Code) -> Answer {
      Answer(succeeded: false, code: code, onMainQueue: false)
    }
  }

  private typealias Handler = @Sendable (Bool, (any Error)?) -> Void

  private func answer(_ work: (@escaping Handler) -> Void) async -> Answer {
    #expect(MainQueue.isCurrent)
    return await withCheckedContinuation { done in
      work { succeeded, error in
        done.resume(
          returning: Answer(
            succeeded: succeeded, code: (error as? HKError)?.code, onMainQueue: MainQueue.isCurrent))
      }
    }
  }

  private let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))

  /// Calls all operations in a plausible order and returns the arguments of their handlers.
  private func answers(of store: HKHealthStore, saving samples: [HKQuantitySample]) async -> [Answer] {
    let types: Set<HKSampleType> = [heartRateType, HKObjectType.workoutType()]
    let all = NSPredicate(value: true)
    return [
      await answer { store.requestAuthorization(toShare: types, read: types, completion: $0) },
      await answer { handler in
        store.getRequestStatusForAuthorization(toShare: types, read: types) { status, error in
          handler(status == .unnecessary, error)
        }
      },
      await answer { store.handleAuthorizationForExtension(completion: $0) },
      await answer { store.save(samples[0], withCompletion: $0) },
      await answer { store.save([samples[1], workout], withCompletion: $0) },
      await answer { store.add([samples[2]], to: workout, completion: $0) },
      await answer { handler in
        store.preferredUnits(for: [heartRateType]) { handler($0[heartRateType] != nil, $1) }
      },
      await answer {
        store.enableBackgroundDelivery(for: heartRateType, frequency: .hourly, withCompletion: $0)
      },
      await answer { store.disableBackgroundDelivery(for: heartRateType, withCompletion: $0) },
      await answer { store.disableAllBackgroundDelivery(completion: $0) },
      await answer { store.delete(samples[0], withCompletion: $0) },
      await answer { store.delete([samples[1]], withCompletion: $0) },
      await answer { handler in
        store.deleteObjects(of: heartRateType, predicate: all) { succeeded, count, error in
          handler(succeeded && count == 1, error)
        }
      },
    ]
  }

  private func store(
    backgroundDelivery: Bool, _ answer: HKHealthStore.Configuration.Answer
  ) throws -> HKHealthStore {
    let entitlements = HKHealthStore.Application.Entitlements(
      healthKit: true, backgroundDelivery: backgroundDelivery)
    return try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(entitlements: entitlements),
        decision: .asking { _ in answer }))
  }

  @Test func `success is reported as true without an error, on a background queue`() async throws {
    let store = try store(backgroundDelivery: true, .grantedAll)
    let samples = (0..<3).map { heartRate(60, at: Double($0)) }
    let answers = await answers(of: store, saving: samples)
    #expect(answers == Array(repeating: .success, count: 13))
  }

  @Test func `failure is reported as false with the error, on a background queue`() async throws {
    // An application without the HealthKit entitlement gets an error for requests and saves.
    let application = try HKHealthStore.Application.example(entitlements: .init())
    let store = try HKHealthStore(
      configuration: .init(
        location: .memory, application: application, decision: .asking { _ in .grantedAll }))
    let answers = await answers(of: store, saving: (0..<3).map { heartRate(60, at: Double($0)) })
    #expect(answers == Array(repeating: .failure(.errorAuthorizationDenied), count: 13))
  }

  @Test func `handlers get the errors that the asynchronous versions throw`() async throws {
    let store = try store(backgroundDelivery: false, .cancelled)
    let answers = await answers(of: store, saving: (0..<3).map { heartRate(60, at: Double($0)) })
    var thrown: [HKError.Code?] = []
    func note(_ work: () async throws -> Void) async {
      do {
        try await work()
        thrown.append(nil)
      } catch {
        thrown.append((error as? HKError)?.code)
      }
    }
    let types: Set<HKSampleType> = [heartRateType, HKObjectType.workoutType()]
    let sample = heartRate(60, at: 0)
    await note { try await store.requestAuthorization(toShare: types, read: types) }
    await note { _ = try await store.statusForAuthorizationRequest(toShare: types, read: types) }
    await note { try await store.handleAuthorizationForExtension() }
    await note { try await store.save(sample) }
    await note { try await store.save([sample, workout]) }
    await note { try await store.addSamples([sample], to: workout) }
    await note { _ = try await store.preferredUnits(for: [heartRateType]) }
    await note { try await store.enableBackgroundDelivery(for: heartRateType, frequency: .hourly) }
    await note { try await store.disableBackgroundDelivery(for: heartRateType) }
    await note { try await store.disableAllBackgroundDelivery() }
    await note { try await store.delete(sample) }
    await note { try await store.delete([sample]) }
    await note {
      _ = try await store.deleteObjects(of: heartRateType, predicate: NSPredicate(value: true))
    }
    #expect(answers.map(\.code) == thrown)
    #expect(Set(thrown).isSuperset(of: [.errorUserCanceled, .errorAuthorizationNotDetermined]))
  }
}
