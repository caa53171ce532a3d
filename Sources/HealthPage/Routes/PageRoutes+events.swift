extension PageRoutes {
  /// Adds the stream of server-sent events.
  mutating func addEvents(
    _ monitors: PageMonitors, _ shelf: StoreShelf, _ permits: StreamPermits, _ rhythm: EventRhythm,
    _ sessions: PageSessions
  ) {
    reads["/api/events"] = { question in
      let session = question.session.id
      let stream = EventStream(
        store: try shelf.store(for: question), person: shelf.person(for: question), monitors: monitors,
        permit: try permits.permit(session), rhythm: rhythm,
        heard: { sessions.use(session) })
      var answer = PageAnswer("text/event-stream") { try await stream.run($0) }
      answer.fields["Connection"] = "close"
      return answer
    }
  }
}
