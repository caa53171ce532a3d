import HealthKit
import TerminalEvents

/// The sample application of the HealthKit guide in a terminal.
///
/// It asks for permission when it becomes active, and stores the heart rates that the user types. This class
/// replaces the guide's application delegate and view controller. The model is ``HeartRateModel``, which
/// would compile for an iPhone without changes.
@main @MainActor final class RecorderApp {
  private let healthStore = HKHealthStore()
  private let model: HeartRateModel
  private let heartRate = HKQuantityType(.heartRate)
  /// Set while a permission request is pending.
  private var asking: Task<Void, Never>?

  static func main() async {
    await RecorderApp().run()
  }

  private init() {
    model = HeartRateModel(healthStore: healthStore)
    model.enabledChanged = { Screen.show($0 ? "Ready to record" : "Not authorized to store data.") }
    model.errorMessageChanged = { Screen.show($0) }
    model.heartRateStored = { Screen.show("Stored \($0.formatted()) BPM") }
  }

  private func run() async {
    Screen.show("HeartRateRecorder: type a heart rate, such as 72. Ctrl-D ends.")
    for await event in ApplicationEvent.stream() {
      switch event {
      case .becameActive: await validateAuthorization()
      case .typed(let text): await record(text)
      }
    }
    // Cancel the pending request, so that the user is not asked after the application has exited.
    asking?.cancel()
    await asking?.value
  }

  // MARK: - Permission

  /// Requests permission each time the application becomes active, because the user may have changed it
  /// meanwhile. A user who has already decided is not asked again.
  private func validateAuthorization() async {
    guard asking == nil else { return }
    do {
      let status = try await healthStore.statusForAuthorizationRequest(toShare: [heartRate], read: [])
      guard status == .shouldRequest else { return reactToHealthCarePermissions() }
      asking = Task {
        await requestAuthorization()
        asking = nil
      }
    } catch {
      model.permissionsError(error.localizedDescription)
    }
  }

  /// Waits for the user without a timeout.
  private func requestAuthorization() async {
    do {
      try await healthStore.requestAuthorization(toShare: [heartRate], read: [])
      reactToHealthCarePermissions()
    } catch is CancellationError {
      return
    } catch {
      model.permissionsError(error.localizedDescription)
    }
  }

  /// A successful request means that the user has decided. The authorization status contains the decision.
  private func reactToHealthCarePermissions() {
    model.enabled = healthStore.authorizationStatus(for: heartRate) == .sharingAuthorized
  }

  // MARK: - Recording

  private func record(_ text: String) async {
    // The user may have granted the permission since the last request.
    if model.enabled != true { await validateAuthorization() }
    guard model.enabled == true else {
      Screen.show("Not stored: not authorized to store data.")
      return
    }
    do {
      await model.storeHeartRate(try HeartRateEntry.quantity(text))
    } catch {
      Screen.show(error.message)
    }
  }
}
