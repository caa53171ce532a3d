import HealthKit
import TerminalEvents

/// The sample application of the HealthKit guide, in a terminal: it asks for permission when it becomes
/// active, and stores the heart rates that are typed.
///
/// The guide's application delegate and view controller are here, its model is ``HeartRateModel``. Of this
/// file an iPhone would replace the terminal; the model it would compile as it is.
@main @MainActor final class RecorderApp {
  private let healthStore = HKHealthStore()
  private let model: HeartRateModel
  private let heartRate = HKQuantityType(.heartRate)
  /// While the user is asked.
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
    // What nobody waits for need not be answered: cancelling takes the question back.
    asking?.cancel()
    await asking?.value
  }

  // MARK: - Permission

  /// The user may have changed their mind while the application was in the background, so this is done each
  /// time it becomes active. Who has decided is not asked again.
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

  /// Waits for the user, for as long as they like.
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

  /// That the request succeeded means that the user has answered. What they answered the status tells.
  private func reactToHealthCarePermissions() {
    model.enabled = healthStore.authorizationStatus(for: heartRate) == .sharingAuthorized
  }

  // MARK: - Recording

  private func record(_ text: String) async {
    // Who types looks at the application: they may have decided meanwhile.
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
