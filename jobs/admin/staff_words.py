"""Lists of jobs, some of which staff have cancelled with a reason of theirs."""

from __future__ import annotations

from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest

from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.subjects import words_about
from jobs.models import Job


class StaffWordsAdmin(ReadOnlyAdmin):
    """Shows what staff wrote of a job as the user may see it. One query for each such row, for who may not see all."""

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        changelist = super().get_changelist_instance(request)
        changelist.result_list = list(changelist.result_list)
        for job in changelist.result_list:
            if job.state == Job.State.CANCELLED:
                job.reason = words_about(request, job.reason, subject=job.subject)
        return changelist
